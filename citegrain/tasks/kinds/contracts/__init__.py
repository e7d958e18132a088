"""Contracts and other terms between private parties: known by their voice, read by their numbers."""

from citegrain.tasks.kinds.contracts.structure import recognise, structure
from citegrain.tasks.offline.kinds import DocumentKind

KIND = DocumentKind("contract", 20, recognise, structure)
