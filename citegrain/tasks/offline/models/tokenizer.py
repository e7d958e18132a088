"""The tokenizer of an encoder: where each token of a text stands."""

from __future__ import annotations

import re
from functools import cached_property

from citegrain.tasks.core.script import LETTERS
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.offline.models.errors import ModelError
from citegrain.tasks.offline.models.weights import ModelFiles

_SYLLABLE = re.compile(f"[{LETTERS}]{{2}}")


class Tokenizer:
    """Word pieces of a model, without its special tokens.

    ``sha256`` is the digest of ``tokenizer.json``: it belongs in the key of whatever counts tokens. ``added``
    is the number of special tokens that the encoder adds to a text.
    """

    def __init__(self, files: ModelFiles) -> None:
        from tokenizers import Tokenizer as Fast

        path = files.folder / "tokenizer.json"
        if not path.is_file():
            raise ModelError(f"{files.name}: no tokenizer.json in it")
        self.sha256 = hash_file(path)
        self._fast = Fast.from_file(str(path))
        self._fast.no_truncation()
        self._fast.no_padding()
        self.added = self._fast.num_special_tokens_to_add(is_pair=False)

    @cached_property
    def reads_devanagari(self) -> bool:
        """Whether it knows syllables of Devanagari; a vocabulary of English has its letters at most."""
        return any(_SYLLABLE.search(token) for token in self._fast.get_vocab())

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character span of each token of ``text``."""
        return list(self._fast.encode(text, add_special_tokens=False).offsets)
