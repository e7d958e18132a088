"""Encoders and rerankers behind an API, as OpenAI, Voyage, Cohere and Jina have them.

What is sent and what comes back follows the vendors' own references of 2026. A vendor's address and key are
its own: neither stands in a configuration or a build, so that no build from elsewhere says where a key goes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from citegrain.tasks.core.endpoint.calling import Caller
from citegrain.tasks.core.endpoint.config import CallLimits, Endpoint, EndpointError, count
from citegrain.tasks.core.personal import Masks

_T = TypeVar("_T")
_LONGEST = 200_000
"""Characters of the texts of a call, some 50,000 tokens: less than any of the vendors takes."""


@dataclass(frozen=True)
class Vendor:
    """How a vendor is spoken to.

    Attributes
    ----------
    address
        Where its API is, unless the environment says otherwise.
    embeddings, rerank
        Paths behind it; empty: it has none.
    most
        Texts that a call may have.
    texts, dimension
        How it calls the texts, and the length of vectors that are to be shortened.
    roles
        What says whether texts are passages or queries: the key, and the values of both.
    top
        How a reranker calls the number of scores that it gives.
    further
        What else a call for vectors says.
    """

    address: str
    embeddings: str = "/embeddings"
    rerank: str = "/rerank"
    most: int = 1000
    texts: str = "input"
    dimension: str = "dimensions"
    roles: tuple[str, str, str] | None = None
    top: str = "top_n"
    further: tuple[tuple[str, Any], ...] = ()


VENDORS = {
    "openai": Vendor("https://api.openai.com/v1", rerank="", further=(("encoding_format", "float"),)),
    "voyage": Vendor(
        "https://api.voyageai.com/v1",
        dimension="output_dimension",
        roles=("input_type", "document", "query"),
        top="top_k",
    ),
    "cohere": Vendor(
        "https://api.cohere.com/v2",
        "/embed",
        most=96,
        texts="texts",
        dimension="output_dimension",
        roles=("input_type", "search_document", "search_query"),
        further=(("embedding_types", ["float"]),),
    ),
    "jina": Vendor(
        "https://api.jina.ai/v1", most=512, roles=("task", "retrieval.passage", "retrieval.query")
    ),
}


@dataclass(frozen=True, kw_only=True)
class VendorConfig(CallLimits):
    """A vendor, and what calling it may take.

    ``vendor``: whose API it is: ``openai`` (and whatever server speaks its ``/embeddings``), ``voyage``,
    ``cohere``, ``jina``; empty: none. ``price``: of a million tokens that it reads, in any currency.
    """

    group: ClassVar[str] = "rerank.options"

    vendor: str = ""
    price: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.vendor and self.vendor not in VENDORS:
            raise ValueError(f"{self.group}.vendor={self.vendor}: one of {', '.join(VENDORS)}")
        if self.price < 0:
            raise ValueError(f"{self.group}.price must not be negative")

    def endpoint(self, model: str, setting: str, account: tuple[str, str]) -> Endpoint:
        """Where a model is. ``account``: address, or empty, and key. Raises EndpointError without a key."""
        address, key = account
        variables = f"CITEGRAIN_{self.vendor.upper()}"
        url = address or VENDORS[self.vendor].address
        return Endpoint(url, model, key, setting, price_in=self.price, variables=variables)


def embed_texts(
    texts: Sequence[str],
    endpoint: Endpoint,
    config: VendorConfig,
    *,
    query: bool,
    dimension: int,
    shortened: bool = False,
    size: int = 64,
    progress: Callable[[int], None] = lambda n: None,
) -> npt.NDArray[np.float32]:
    """Vectors of texts as the vendor gives them: float32, shape (texts, dimension).

    ``query``: whether the texts are queries; what is personal in them leaves masked. ``shortened``: whether
    the vendor is told to give vectors of ``dimension`` numbers. ``size``: most texts of a call. Raises
    EndpointError if a call came to nothing, after all its attempts.
    """
    vendor = VENDORS[config.vendor]
    plain = [Masks().mask(text) for text in texts] if query else list(texts)
    further = dict(vendor.further) | ({vendor.dimension: dimension} if shortened else {})
    if vendor.roles:
        key, passage, question = vendor.roles
        further[key] = question if query else passage
    parts = _batches(plain, min(size, vendor.most))
    bodies = [{"model": endpoint.model, vendor.texts: part, **further} for part in parts]
    sizes = [len(part) for part in parts]
    reads = [partial(_vectors, shape=(n, dimension)) for n in sizes]
    matrices = _called(vendor.embeddings, bodies, reads, endpoint, config, sizes, progress)
    return np.concatenate([*matrices, np.zeros((0, dimension), np.float32)])


def score_texts(
    query: str, texts: Sequence[str], endpoint: Endpoint, config: VendorConfig, size: int = 64
) -> npt.NDArray[np.float32]:
    """How relevant the vendor's reranker finds each text: float32, shape (texts,). Raises EndpointError."""
    vendor = VENDORS[config.vendor]
    if not vendor.rerank:
        raise EndpointError(f"{config.group}.vendor={config.vendor}: it has no reranker")
    shared = {"model": endpoint.model, "query": Masks().mask(query)}
    parts = _batches(texts, size)
    bodies = [shared | {"documents": part, vendor.top: len(part)} for part in parts]
    sizes = [len(part) for part in parts]
    reads = [partial(_scores, n=n) for n in sizes]
    scores = _called(vendor.rerank, bodies, reads, endpoint, config, sizes, lambda n: None)
    return np.concatenate([*scores, np.zeros(0, np.float32)])


def _batches(texts: Sequence[str], size: int) -> list[list[str]]:
    """Texts in their order, at most ``size`` of them and ``_LONGEST`` characters together."""
    out: list[list[str]] = []
    length = 0
    for text in texts:
        length += len(text)
        if not out or len(out[-1]) == size or length > _LONGEST:
            out.append([])
            length = len(text)
        out[-1].append(text)
    return out


def _called(
    path: str,
    bodies: Sequence[Mapping[str, Any]],
    reads: Sequence[Callable[[Any], _T]],
    endpoint: Endpoint,
    config: VendorConfig,
    sizes: Sequence[int],
    progress: Callable[[int], None],
) -> list[_T]:
    """What is read of the reply to each body, in their order; the tokens of all are counted."""
    import asyncio

    caller = Caller(endpoint, config)
    out: dict[int, _T] = {}
    errors: list[str] = []
    tokens = 0

    async def one(client: Any, at: int) -> None:
        async def once() -> None:
            nonlocal tokens
            send = partial(client.post, path, body=bodies[at], cast_to=object)
            reply = await caller.sent(send)
            tokens += _tokens(reply)
            try:
                out[at] = reads[at](reply)
            except (LookupError, TypeError, AttributeError) as error:
                raise ValueError("the reply is not of the form that this vendor gives") from error

        if not errors and (error := await caller.tried(once)):
            errors.append(error)
        progress(sizes[at])

    spent = asyncio.run(caller.all(range(len(bodies)), one)) if bodies else ""
    count({}, (), tokens, endpoint.price(tokens, 0))
    if errors or spent:
        raise EndpointError(f"{endpoint.setting} ({endpoint.model}): {(errors or [spent])[0]}")
    return [out[at] for at in range(len(bodies))]


def _tokens(reply: Any) -> int:
    """Tokens that a reply says were read; 0 where it does not say."""
    try:
        used = reply.get("usage") or reply["meta"]["billed_units"]
        return int(used.get("total_tokens") or used.get("prompt_tokens") or used.get("input_tokens") or 0)
    except (LookupError, TypeError, AttributeError, ValueError):
        return 0


def _vectors(reply: Any, shape: tuple[int, int]) -> npt.NDArray[np.float32]:
    """The vectors of a reply, by the place of each text. Raises ValueError if one is missing or none."""
    if "embeddings" in reply:
        rows = dict(enumerate(reply["embeddings"]["float"]))
    else:
        rows = {int(row.get("index", at)): row["embedding"] for at, row in enumerate(reply["data"])}
    lengths = sorted({len(row) for row in rows.values()})
    if sorted(rows) != list(range(shape[0])) or lengths != [shape[1]]:
        numbers = " or ".join(map(str, lengths))
        raise ValueError(
            f"{len(rows)} vectors of {numbers} numbers came back, {shape[0]} of {shape[1]} were asked for"
        )
    matrix = np.array([rows[at] for at in range(shape[0])], dtype=np.float32)
    if not np.isfinite(matrix).all():
        raise ValueError("a vector holds what is no number")
    return matrix


def _scores(reply: Any, n: int) -> npt.NDArray[np.float32]:
    """The scores of a reply, by the place of each text. Raises ValueError if one is missing or no number."""
    rows = reply["results"] if "results" in reply else reply["data"]
    scores = {int(row["index"]): float(row["relevance_score"]) for row in rows}
    if sorted(scores) != list(range(n)) or not np.isfinite(list(scores.values())).all():
        raise ValueError(f"{len(scores)} scores came back, {n} were asked for")
    return np.array([scores[at] for at in range(n)], dtype=np.float32)
