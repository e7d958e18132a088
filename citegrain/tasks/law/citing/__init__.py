"""The one reader of citations: a grammar, the names of Acts, and four policies.

``Citing`` reads statutes, ``Statutes`` judgments, ``Texts`` any text, :func:`find_mentions` complaints.
"""

from typing import TYPE_CHECKING, Any

from citegrain.tasks.law.citing.absent import UNKNOWN, ActNames, titles_of
from citegrain.tasks.law.citing.acts import NOUN, Acts, NamedAct, Usage, nouns_of, said_at
from citegrain.tasks.law.citing.complaints import Mention, find_mentions, names_only, spelled_out
from citegrain.tasks.law.citing.grammar import along_chain, normalise, part_marks
from citegrain.tasks.law.citing.judgments import FOREIGN, CitedProvision, Statutes, has_kind
from citegrain.tasks.law.citing.names import ActFinder, Lexicon, Place, identifier, initialisms
from citegrain.tasks.law.citing.statutes import ABSENT, NOT_INDEXED, Citation, Citing

if TYPE_CHECKING:
    from citegrain.tasks.law.citing.texts import ACT, Texts, said_act


def __getattr__(name: str) -> Any:
    """What reads any text is loaded when it is first used: a question needs none of it."""
    if name not in ("ACT", "Texts", "said_act"):
        raise AttributeError(name)
    from citegrain.tasks.law.citing import texts

    return getattr(texts, name)
