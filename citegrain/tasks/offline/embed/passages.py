"""What is embedded of a chunk."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Passage:
    """What is embedded of a chunk: its header line and its text.

    ``context`` is the text among which it is read by late chunking, and ``at`` where it begins in that.
    """

    header: str
    text: str
    context: str = ""
    at: int = 0

    @property
    def joined(self) -> str:
        """Header and text as one."""
        return f"{self.header}\n{self.text}" if self.header else self.text

    def behind(self, prefix: str) -> Passage:
        """The same behind more context."""
        return replace(self, header="\n".join(filter(None, (prefix, self.header))))
