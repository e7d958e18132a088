"""Encoders that sentence-transformers runs: not BERT or MPNet, or another pooling."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import Any

from citegrain.tasks.offline.models.adapters import ModelError
from citegrain.tasks.offline.models.weights import ModelFiles


class SentenceModel:
    """A loaded model and its tokenizer, as :class:`~citegrain.tasks.offline.models.bert.Bert` has them."""

    def __init__(self, files: ModelFiles) -> None:
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # who asks a question need not see that weights are loaded
        try:
            self._model: Any = self._kind()(
                str(files.folder),
                device="cpu",
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True},
            ).eval()
        except (OSError, ValueError) as error:
            raise ModelError(f"{files.name}: cannot be loaded: {error}") from error
        self.limit = int(self._model.max_seq_length or 512)
        self.dimension = int(self._model.get_embedding_dimension())
        self.special = set(self._model.tokenizer.all_special_ids)
        self.skips_prompt = any(getattr(module, "include_prompt", True) is False for module in self._model)

    def prompt_length(self, prompt: str) -> int:
        """Tokens of a prompt, with the special ones before it: what a pooling without prompts leaves out."""
        ids = self._model.tokenizer(prompt)["input_ids"]
        return len(ids) - (ids[-1] in self.special)

    def _kind(self) -> Any:
        """The library's class of such models."""
        from sentence_transformers import SentenceTransformer

        return SentenceTransformer

    def to(self, dtype: Any) -> None:
        """Run it in another precision."""
        self._model.to(dtype)

    def features(self, texts: Sequence[str], longest: int) -> dict[str, Any]:
        """What the network reads of a batch of texts."""
        return dict(
            self._model.tokenizer(
                list(texts), padding=True, truncation=True, max_length=longest, return_tensors="pt"
            )
        )

    def hidden(self, features: Mapping[str, Any]) -> Any:
        """Token vectors, shape (texts, tokens, dimension)."""
        return self._model[0](dict(features))["token_embeddings"]

    def pooled(self, features: Mapping[str, Any]) -> tuple[Any, Any]:
        """Vector of each text by the model's own pooling, and its token vectors."""
        pooled = dict(features) | {"token_embeddings": self.hidden(features)}
        for module in list(self._model)[1:]:
            pooled = module(pooled)
        return pooled["sentence_embedding"], pooled["token_embeddings"]


class ColbertModel(SentenceModel):
    """A ColBERT as Stanford publishes it: a BERT whose token vectors are projected (Khattab, Zaharia 2020).

    Its sentence vector is their mean. Punctuation does not count, and queries are not filled up with [MASK]:
    complaints are longer than the 32 tokens up to which that is done. The marks of queries and passages,
    ``[unused0]`` and ``[unused1]``, are prefixes of the configuration.
    """

    def __init__(self, files: ModelFiles) -> None:
        super().__init__(files)
        tokenizer = self._model.tokenizer
        self.special = {tokenizer.pad_token_id, *tokenizer.convert_tokens_to_ids(list(string.punctuation))}

    def _kind(self) -> Any:
        from sentence_transformers import MultiVectorEncoder

        return MultiVectorEncoder

    def hidden(self, features: Mapping[str, Any]) -> Any:
        """Token vectors in the dimensions of the projection, shape (texts, tokens, dimension)."""
        network, projection, *_ = self._model
        return projection(network(dict(features)))["token_embeddings"]

    def pooled(self, features: Mapping[str, Any]) -> tuple[Any, Any]:
        """The mean of the token vectors, each of length 1, and the token vectors."""
        from torch.nn.functional import normalize

        hidden = self.hidden(features)
        return (normalize(hidden, dim=-1) * features["attention_mask"][:, :, None]).mean(1), hidden
