"""What of a chunk is embedded, by which encoder and under which key: one value for each kind of vectors."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store import RowStore
from citegrain.tasks.offline import embed
from citegrain.tasks.offline.chunk import text_hash
from citegrain.tasks.offline.document_plan import DocumentPlan


def vector_key(of_text: str, *added: str) -> str:
    """Key of the vector of a passage: the hash of its text, and of each thing added that is not empty."""
    for text in filter(None, added):
        of_text = hashlib.sha256(f"{of_text}\0{text}".encode()).hexdigest()
    return of_text


@dataclass(frozen=True)
class Representation:
    """How the searched chunks of documents are embedded.

    A chunk with a translation is embedded by that. Before it stands what a stage says of it, and it is read
    among other chunks where the encoder does late chunking. Token vectors are those of bare passages.
    """

    encoding: embed.Encoding
    english: Mapping[str, str] = field(default_factory=dict)
    tokens: bool = False

    @property
    def rows(self) -> RowStore:
        return self.encoding.token_rows if self.tokens else self.encoding.vector_rows

    def of_document(self, document: DocumentPlan) -> Iterator[tuple[str, str, embed.ChunkText]]:
        """Of each searched chunk its id, the key of its vector, and what is embedded of it."""
        late = "" if self.tokens else self.encoding.config.late
        before = {} if self.tokens else document.before
        contexts = embed.contexts_of(document.searched_chunks, late) if late else {}
        name_of = cache(digest)  # a context is as long as an Act, and that of all its chunks
        for row in document.searched_chunks:
            chunk, english = row["chunk_id"], self.english.get(row["text_hash"], "")
            passage = embed.ChunkText(row["header"], row["text"], *contexts.get(chunk, ()))
            if english:
                passage = embed.ChunkText("", english)
            context = f"{name_of(passage.context)} {passage.at}" if passage.context else ""
            prefix = before.get(chunk, "")
            yield chunk, vector_key(row["text_hash"], english, prefix, context), passage.behind(prefix)

    def passages(self, documents: Sequence[DocumentPlan]) -> dict[str, embed.ChunkText]:
        """What is embedded of all searched chunks, and of the layers above them, by the key of its vector."""
        passages = {key: passage for d in documents for _, key, passage in self.of_document(d)}
        layers = [] if self.tokens else [texts for d in documents for texts in d.layers.values()]
        texts = {text for by_chunk in layers for text in by_chunk.values()}
        return passages | {text_hash("", text): embed.ChunkText("", text) for text in texts}

    def missing(self, documents: Sequence[DocumentPlan]) -> dict[str, embed.ChunkText]:
        """Those of the passages that have no vector yet."""
        return embed.missing_passages(self.rows, self.passages(documents))

    def vector_keys(self, documents: Sequence[DocumentPlan]) -> dict[str, str]:
        """Key of the vector of each searched chunk, by its id."""
        return {chunk: key for d in documents for chunk, key, _ in self.of_document(d)}
