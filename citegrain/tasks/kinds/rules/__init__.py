"""Rules, regulations and bye-laws: the notification that makes them, and how they print their rules."""

from functools import partial

from citegrain.tasks.kinds.rules.body import form_frames, lost_ends, read_rules_body
from citegrain.tasks.kinds.rules.notifications import recognise, split_rule_heading
from citegrain.tasks.offline.document import DocumentKind
from citegrain.tasks.offline.structure import BodyReader, structure_acts

READER = BodyReader(read_rules_body, form_frames, split_rule_heading, lost_ends)


KIND = DocumentKind("rules", 40, recognise, partial(structure_acts, reader=READER))
