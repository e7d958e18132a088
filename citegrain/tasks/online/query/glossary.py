"""What everyday words are called in statutes: ``snatched my phone`` is theft, ``dahej`` dowry."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import yaml

from citegrain.tasks.core.words import Analyser


class GlossaryError(ValueError):
    """A glossary cannot be read; the message says why."""


class Glossary:
    """Phrases as people say them, each with the words of the law.

    Parameters
    ----------
    entries
        Phrases by legal words. Phrases match whole words, by their stems, in order and side by side.
    """

    def __init__(self, entries: Mapping[str, Sequence[str]]) -> None:
        self._words = Analyser("english", "none").terms
        self._phrases: dict[str, list[tuple[list[str], str]]] = {}
        for terms, phrases in entries.items():
            for phrase in phrases:
                words = self._words(phrase)
                if words:
                    self._phrases.setdefault(words[0], []).append((words, terms))

    @classmethod
    def load(cls, path: Path) -> Glossary:
        """A glossary from YAML: a mapping of legal words to a list of phrases.

        Raises
        ------
        GlossaryError
            If it is missing or something else.
        """
        try:
            entries = yaml.safe_load(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
            raise GlossaryError(f"query.glossary={path}: {error}") from error
        if not isinstance(entries, dict) or not all(isinstance(v, list) for v in entries.values()):
            raise GlossaryError(f"query.glossary={path}: must map legal words to a list of phrases each")
        return cls({str(terms): [str(p) for p in phrases] for terms, phrases in entries.items()})

    def find(self, text: str) -> list[str]:
        """Legal words of the phrases that stand in ``text``, in order of appearance, each once."""
        words = self._words(text)
        terms_of_text: dict[str, None] = {}
        for at, word in enumerate(words):
            for phrase, terms in self._phrases.get(word, ()):
                if words[at : at + len(phrase)] == phrase:
                    terms_of_text[terms] = None
        return list(terms_of_text)


@lru_cache(maxsize=4)
def load_glossary(path: str) -> tuple[Glossary, str]:
    """A glossary and the SHA-256 of its file.

    Raises
    ------
    GlossaryError
        If it cannot be read.
    """
    glossary = Glossary.load(Path(path))
    return glossary, hashlib.sha256(Path(path).read_bytes()).hexdigest()
