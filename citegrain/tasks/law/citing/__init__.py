"""The one reader of citations: a grammar, the names of Acts, and three policies.

``Citing`` reads statutes, ``Statutes`` reads judgments, :func:`find_mentions` reads complaints.
"""

from citegrain.tasks.law.citing.acts import NOUN, Acts, NamedAct
from citegrain.tasks.law.citing.complaints import Mention, find_mentions
from citegrain.tasks.law.citing.grammar import along_chain, normalise
from citegrain.tasks.law.citing.judgments import Statutes
from citegrain.tasks.law.citing.names import Lexicon, Place
from citegrain.tasks.law.citing.statutes import ABSENT, NOT_INDEXED, Citation, Citing
