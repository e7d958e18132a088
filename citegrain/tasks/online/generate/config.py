"""Parameters of ``generate``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from citegrain.tasks.core.endpoint import CallConfig

_PROMPT, _PROSE_PROMPT = 2, 2  # raised where another prompt may give another answer
EXTRACTS, LLM, PROSE = KINDS = ("extractive", "llm", "prose")
TEMPLATES = ("detailed", "minimal", "steps", "strict", "conversational")
"""Ways to ask for an answer in prose, as files of ``data/prompts``; each also goes by its number, from 1."""


@dataclass(frozen=True)
class GenerateConfig(CallConfig):
    """How an answer is made of the selected provisions; how a model is called, ``CallConfig`` says.

    Attributes
    ----------
    kind
        ``extractive`` gives the provisions as charges, ``llm`` asks a model for them, ``prose`` gives them
        and asks a model for an answer in words that cites them.
    context_chars
        Characters of each provision that the model is given.
    landmarks
        Judgments that ``ask`` suggests beside the provisions, at most; it then also says of which judgments
        another says that they were overruled. 0 for neither. A model that answers in prose is shown them.
    words
        Words of all provisions together that a model is shown that answers in prose.
    template
        What it is asked for: one of :data:`TEMPLATES`, or its number.
    open_knowledge
        Whether it may add what no provision says, marked as that.
    validate
        Who holds an answer in prose against the provisions: ``rules``, the ``model``, or ``none``. One that
        they do not bear out is asked for again from other provisions, twice at most.
    refuse_below
        Support, 0 to 1, below which such an answer is not given, and extracts stand instead.
    danger
        What ``ask`` says first to a question that speaks of danger to a person; empty for nothing.
    """

    group: ClassVar[str] = "generate"

    kind: str = EXTRACTS
    context_chars: int = 2000
    landmarks: int = 0
    words: int = 10_000
    template: str = TEMPLATES[0]
    open_knowledge: bool = False
    validate: str = "rules"
    refuse_below: float = 0.0
    danger: str = "In danger now? Call 112. Women: 181. Children: 1098. In despair: 14416 (Tele-MANAS)."

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in KINDS:
            raise ValueError(f"generate.kind={self.kind}: one of {', '.join(KINDS)}")
        if min(self.context_chars, self.words) < 1:
            raise ValueError("generate: context_chars, words must be positive")
        if self.template not in (*TEMPLATES, *map(str, range(1, len(TEMPLATES) + 1))):
            raise ValueError(f"generate.template={self.template}: 1 to 5, or one of {', '.join(TEMPLATES)}")
        if self.validate not in ("rules", "model", "none") or not 0 <= self.refuse_below <= 1:
            raise ValueError("generate: validate is rules, model or none; refuse_below lies in 0 to 1")
        if self.landmarks < 0:
            raise ValueError("generate.landmarks must not be negative")

    @property
    def asks(self) -> str:
        """The setting by which a model is asked; empty where none is."""
        return "" if self.kind == EXTRACTS else f"generate={self.kind}"

    @property
    def template_id(self) -> int:
        """Number of the template, from 1."""
        return int(self.template) if self.template.isdigit() else TEMPLATES.index(self.template) + 1

    def without_model(self) -> GenerateConfig:
        """The same as far as no model is asked."""
        return GenerateConfig()

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape an answer; how a model is called does not."""
        if self.kind == EXTRACTS:
            return {"kind": self.kind}
        if self.kind == PROSE:
            names = ("words", "landmarks", "template_id", "open_knowledge", "validate", "refuse_below")
            shown = {name: getattr(self, name) for name in names}
            return {"kind": self.kind, "prompt": _PROSE_PROMPT} | shown | self.of_reply()
        return {"kind": self.kind, "prompt": _PROMPT, "context_chars": self.context_chars} | self.of_reply()
