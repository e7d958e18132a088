"""Train the reader of claims: ``python -m tools.train_claims ARTIFACTS/builds/acts``

Writes ``data/models/claims_reader`` and, into ``data/training/claims.jsonl.gz``, what readers that had learned from
the other writers say of each claim. It learns first from pairs made by rule (``tools.claims_made``), then from the
labelled claims and from two of them joined; the weights of two seeds are averaged, and of what they add to each
matrix the part of rank 64 is kept. The shipped weights are of one H200, 104 seconds in bfloat16, where the first
step stopped after 713 of 770 batches; other machines give others. A CPU needs hours.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn.functional import cross_entropy

from citegrain.flows.shared.library import Build
from citegrain.tasks.core.store.files import hash_file
from citegrain.tasks.offline.models import (
    ADAPTER,
    DOWN,
    FULL,
    NEW,
    SHIPPED,
    UP,
    Adapter,
    Tokenizer,
    find_model,
)
from citegrain.tasks.online.claims.judging import words_of
from citegrain.tasks.online.claims.learned import LEAST, LONGEST, ROOM, VERDICTS, claim_of, nearest_words
from citegrain.tasks.online.claims.passages import passage_of, tokens_of
from tools.claims_made import pairs_by_rule
from tools.learn_claims import CLAIMS, claims, law_of, passages_of

BASE, RANK, BY_RULE = "sentence-transformers/all-MiniLM-L6-v2", 64, 100_000
WIDE, FULLY = 1100, 2000  # characters
JOINED = {"supported": 1250, "contradicted": 1250, "partly": 600}
JOINTS = (", and ", "; ", ", and ", ", but ", ", while ")
FOLDS = (("w1", "own"), ("claims",), ("w2",), ("w3",), ("w4",))
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Pair:
    """Tokens of a claim and of what is read with it: a wide and a narrow part of its passages."""

    def __init__(
        self,
        tokens: Any,
        claim: str,
        passages: Sequence[str],
        verdict: str,
        narrow: int = ROOM,
        wide: int = WIDE,
    ) -> None:
        terms = {token.term for token in tokens_of(claim)} - {""}
        texts = [
            nearest_words(terms, [passage_of(text) for text in passages], room) for room in (wide, narrow)
        ]
        self.claim, *self.views = (
            encoded.ids for encoded in tokens.encode_batch([claim, *texts], add_special_tokens=False)
        )
        self.verdict = VERDICTS.index(verdict)

    def inputs(self, narrow: bool) -> tuple[list[int], list[int]]:
        first = [101, *self.claim[:120], 102]
        second = [*self.views[int(narrow)][: LONGEST - 1 - len(first)], 102]
        return first + second, [0] * len(first) + [1] * len(second)


class Network(nn.Module):
    def __init__(self, folder: Path, dropout: float) -> None:
        from transformers import BertModel

        super().__init__()
        torch.manual_seed(11)
        self.bert = BertModel.from_pretrained(
            folder, add_pooling_layer=False, hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout
        )
        for parameter in self.bert.embeddings.parameters():
            parameter.requires_grad = False
        self.head = nn.Linear(self.bert.config.hidden_size, len(VERDICTS))
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)
        self.to(DEVICE)

    def forward(self, pairs: Sequence[Pair], narrow: Sequence[bool]) -> Any:
        rows = [pair.inputs(short) for pair, short in zip(pairs, narrow, strict=True)]
        longest = max(len(ids) for ids, _ in rows)
        padded = [[part + [0] * (longest - len(part)) for part in row] for row in rows]
        ids, types = torch.tensor(padded, device=DEVICE).unbind(1)
        with torch.autocast(DEVICE, dtype=torch.bfloat16, enabled=DEVICE == "cuda"):
            hidden = self.bert(input_ids=ids, token_type_ids=types, attention_mask=(ids > 0).long())
            return self.head(hidden.last_hidden_state[:, 0].float()).float()


def batches(pairs: Sequence[Pair], size: int, rng: np.random.Generator) -> list[list[Pair]]:
    """Pairs of like length together."""
    mixed = [pairs[i] for i in rng.permutation(len(pairs))]
    out = []
    for start in range(0, len(mixed), 40 * size):
        part = sorted(mixed[start : start + 40 * size], key=lambda pair: len(pair.claim) + len(pair.views[0]))
        out += [part[i : i + size] for i in range(0, len(part), size)]
    return [out[i] for i in rng.permutation(len(out))]


def fit(
    net: Network, pairs: Sequence[Pair], epochs: int, size: int, rate: float, seed: int, smooth: float
) -> None:
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    net.train()
    plan = [batch for _ in range(epochs) for batch in batches(pairs, size, rng)]
    parameters = [p for p in net.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(parameters, lr=rate, weight_decay=0.01)
    warm = max(1, int(0.08 * len(plan)))
    for step, batch in enumerate(plan):
        for group in optimiser.param_groups:
            group["lr"] = rate * min((step + 1) / warm, (len(plan) - step) / max(1, len(plan) - warm))
        target = torch.tensor([pair.verdict for pair in batch], device=DEVICE)
        loss = cross_entropy(net(batch, rng.random(len(batch)) < 0.4), target, label_smoothing=smooth)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()


def learned(folder: Path, start: dict[str, Any], pairs: Sequence[Pair], seed: int) -> Network:
    net = Network(folder, 0.1)
    net.load_state_dict(start)
    fit(net, pairs, 9, 96, 2.5e-4, seed, 0.03)
    net.eval()
    return net


@torch.inference_mode()
def read(net: Network, pairs: Sequence[Pair]) -> np.ndarray[Any, Any]:
    """Logarithms of the probabilities, of the narrow part."""
    odds = [
        net(pairs[i : i + 256], [True] * len(pairs[i : i + 256])).softmax(1)
        for i in range(0, len(pairs), 256)
    ]
    out: np.ndarray[Any, Any] = np.log(torch.cat(odds).cpu().numpy() + LEAST)
    return out


def joined(rows: Sequence[dict[str, Any]], law: dict[str, str]) -> list[tuple[dict[str, Any], str, str]]:
    """Two claims of a writer about a passage as one: (row of the first, claim, verdict)."""
    rng, groups, out, left = random.Random(3), defaultdict(list), [], dict(JOINED)
    for row in rows:
        groups[row["writer"], *passages_of(row, law)].append(row)
    pairs = [pair for group in groups.values() for pair in combinations(group, 2)]
    rng.shuffle(pairs)
    for pair in pairs:
        first, second = rng.sample(pair, 2)
        one, two = claim_of(words_of(first["text"])), claim_of(words_of(second["text"]))
        labels = {first["label"], second["label"]}
        verdict = (
            "contradicted"
            if labels == {"contradicted", "supported"}
            else "supported"
            if labels == {"supported"}
            else "partly"
            if labels in ({"supported", "not"}, {"supported", "partly"})
            else ""
        )
        if len(f"{one} {two}".split()) <= 60 and left.get(verdict):
            left[verdict] -= 1
            out.append((first, one.rstrip(" .") + rng.choice(JOINTS) + two, verdict))
    return out


def write(base: dict[str, Any], state: dict[str, Any], folder: Path, adapter: Adapter) -> None:
    """What training added."""
    out = {f"{name}{NEW}": weight.half() for name, weight in state.items() if name.startswith("head.")}
    for name, weight in base.items():
        added = state[f"bert.{name}"] - weight
        if name.startswith("embeddings.") or not added.any():
            continue
        if added.ndim == 2:
            left, size, right = torch.linalg.svd(added, full_matrices=False)
            root = size[:RANK].sqrt()
            out[name + UP], out[name + DOWN] = (
                (left[:, :RANK] * root).half(),
                (root[:, None] * right[:RANK]).half(),
            )
        else:
            out[name + FULL] = added.half()
    save_file({name: weight.contiguous() for name, weight in out.items()}, folder / ADAPTER)
    adapter.write(folder)
    print("READER_SHA256", hash_file(folder / ADAPTER))


def main(build_folder: str) -> None:
    build = Build.open(Path(build_folder))
    law, rows = law_of(build), claims()
    files = find_model(BASE, build.models)
    tokens = Tokenizer(files)._fast
    firsts = [
        Pair(tokens, claim, [passage], verdict, FULLY, FULLY)
        for _, passage, claim, verdict, _ in pairs_by_rule(BY_RULE)
    ]
    pairs = [
        Pair(tokens, claim_of(words_of(row["text"])), passages_of(row, law), row["label"]) for row in rows
    ]
    more = [
        (row, Pair(tokens, claim, passages_of(row, law), verdict))
        for row, claim, verdict in joined(rows, law)
    ]
    net = Network(files.folder, 0.0)
    base = {name: weight.clone() for name, weight in net.bert.cpu().state_dict().items()}
    fit(net.to(DEVICE), firsts, 1, 128, 3e-4, 1, 0.0)
    start = net.state_dict()
    every = [*zip(rows, pairs, strict=True), *more]
    seeds = [
        learned(files.folder, start, [pair for row, pair in every if not row.get("tested")], seed)
        .cpu()
        .state_dict()
        for seed in (1, 2)
    ]
    write(
        base,
        {n: sum(s[n] for s in seeds) / 2 for n in start},
        SHIPPED / "claims_reader",
        Adapter(BASE, files.sha256),
    )
    for writers in FOLDS:
        net = learned(files.folder, start, [pair for row, pair in every if row["writer"] not in writers], 1)
        at = [i for i, row in enumerate(rows) if row["writer"] in writers]
        for i, said in zip(at, read(net, [pairs[i] for i in at]), strict=True):
            rows[i]["read"] = [round(float(value), 3) for value in said]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    CLAIMS.write_bytes(gzip.compress(lines.encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
