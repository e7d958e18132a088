"""The one reader of citations: a grammar, the names of Acts, and four policies.

``Citing`` reads statutes, ``Statutes`` judgments, ``Texts`` any text, :func:`find_mentions` complaints.
"""

from citegrain.tasks.law.citing.acts import NOUN, Acts, NamedAct
from citegrain.tasks.law.citing.complaints import Mention, find_mentions
from citegrain.tasks.law.citing.grammar import along_chain, normalise
from citegrain.tasks.law.citing.judgments import CitedProvision, Statutes
from citegrain.tasks.law.citing.names import Lexicon, Place, identifier
from citegrain.tasks.law.citing.statutes import ABSENT, NOT_INDEXED, Citation, Citing
from citegrain.tasks.law.citing.texts import ACT, Texts, said_act
