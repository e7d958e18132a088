"""Policies: each in a file of its own, with a function of that name that makes one."""
