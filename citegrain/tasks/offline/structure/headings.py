"""How headings that the patterns miss are asked for, and what comes of it; plug-ins do the asking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from citegrain.tasks.core.endpoint import CallConfig
from citegrain.tasks.core.plugins import Plugins
from citegrain.tasks.offline.structure.act import BodyReader, Heading
from citegrain.tasks.offline.structure.rows import PageText

PATTERNS = "patterns"
HEADING_READERS = Plugins("structure.headings", ("citegrain.tasks.published.headings",))
"""Who reads headings where sections must be missing, by the names that ``structure.headings`` may have."""


@dataclass(frozen=True, kw_only=True)
class HeadingCalls(CallConfig):
    """How a model is asked for headings; the budget is that of one Act."""

    group: ClassVar[str] = "structure.calls"

    max_tokens: int = 4096
    timeout: float = 60.0
    attempts: int = 2
    max_calls: int = 40
    max_seconds: float = 300.0


@dataclass
class Answered:
    """What came of asking about one Act.

    Attributes
    ----------
    headings
        Those that were taken, by row of the body.
    refused
        How many were not, by reason.
    errors
        Why spans have no reply.
    """

    spans: int = 0
    headings: dict[int, Heading] = field(default_factory=dict)
    refused: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)

    def note(self, taken: int) -> str:
        """What was asked and given, in words."""
        note = f"a language model was asked about {self.spans} span{'s' * (self.spans != 1)}: "
        note += f"{taken} heading{'s' * (taken != 1)} taken"
        refused = [f"{n} refused: {why}" for why, n in sorted(self.refused.items()) if n]
        if self.errors:
            refused.append(f"no reply for {len(self.errors)}: {self.errors[0]}")
        return "; ".join([note, *refused])


AskHeadings = Callable[[PageText, str, str, BodyReader | None], Answered]
"""From the rows of an Act, its id, its unit and how its kind is read to headings."""


class HeadingReader(Protocol):
    """Who reads the headings of an Act of which sections are missing.

    Attributes
    ----------
    errors
        Why some of what was asked has no answer: another run may better the result.
    """

    errors: list[str]

    def __call__(self, page_text: PageText, act_id: str, unit: str, reader: BodyReader | None) -> Answered:
        """The headings of an Act; ``reader`` as in :func:`read_act`."""
