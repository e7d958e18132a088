"""Makers of the chain's own steps: each with a function ``steps``, found by name."""

from citegrain.tasks.online.makers.fuse import channel_shares
