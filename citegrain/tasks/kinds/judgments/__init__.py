"""Judgments: their front as courts and reports print it, their paragraphs, and what they cite."""

from citegrain.tasks.kinds.judgments.front import recognise
from citegrain.tasks.kinds.judgments.names import read_name, same_judge
from citegrain.tasks.kinds.judgments.structure import structure
from citegrain.tasks.kinds.judgments.tag import tag
from citegrain.tasks.offline.document import DocumentKind

KIND = DocumentKind("judgment", 10, recognise, structure, tag)
