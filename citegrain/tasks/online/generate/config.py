"""Parameters of ``generate``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from citegrain.tasks.core.endpoint import CallConfig

_PROMPT = 2  # raised where another prompt may give another answer
KINDS = ("extractive", "llm")


@dataclass(frozen=True)
class GenerateConfig(CallConfig):
    """How an answer is made of the selected provisions; how a model is called, ``CallConfig`` says.

    Attributes
    ----------
    kind
        ``extractive`` gives the provisions as charges, ``llm`` asks a model.
    context_chars
        Characters of each provision that the model is given.
    landmarks
        Judgments that ``ask`` suggests beside the provisions, at most; it then also says of which judgments
        another says that they were overruled. 0 for neither.
    """

    group: ClassVar[str] = "generate"

    kind: str = "extractive"
    context_chars: int = 2000
    landmarks: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in KINDS:
            raise ValueError(f"generate.kind={self.kind}: one of {', '.join(KINDS)}")
        if self.context_chars < 1:
            raise ValueError("generate.context_chars must be positive")
        if self.landmarks < 0:
            raise ValueError("generate.landmarks must not be negative")

    @property
    def asks(self) -> str:
        """The setting by which a model is asked; empty where none is."""
        return "generate=llm" if self.kind == "llm" else ""

    def without_model(self) -> GenerateConfig:
        """The same as far as no model is asked."""
        return GenerateConfig()

    def parameters(self) -> dict[str, Any]:
        """The parameters that shape an answer; how a model is called does not."""
        if self.kind != "llm":
            return {"kind": self.kind}
        return {"kind": self.kind, "prompt": _PROMPT, "context_chars": self.context_chars} | self.of_reply()
