"""Lay texts for an indexed folder: which provisions have none, and what a model writes for them."""

import json
from collections.abc import Iterator, Mapping

from citegrain.flows.index.inputs import corpus_paths, lay_texts_of
from citegrain.flows.shared.asking import endpoint_of, open_build
from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.endpoint import BatchPending, Messages
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.schemas import PROVISIONS
from citegrain.tasks.core.store.files import write_atomically
from citegrain.tasks.evaluation.benchmark import Citation, read_objects
from citegrain.tasks.offline.corpus import NoFolderError
from citegrain.tasks.offline.embed import passage_model
from citegrain.tasks.offline.lay_texts import (
    LAY_TEXTS,
    NOT_NEEDED,
    PATIENCE,
    Label,
    lay_requests,
    write_lay_texts,
)
from citegrain.tasks.offline.models import Tokenizer
from citegrain.tasks.train import read_lay_queries


class NoRepliesError(RuntimeError, Expected):
    """A model did not reply for some provisions."""


def plan_lay_texts(settings: Settings) -> tuple[dict[Label, Messages], int]:
    """What a model is to be asked, by provision without lay texts, and its tokens. Raises NoFolderError."""
    corpus = corpus_paths(settings)
    if corpus.kind != "folder":
        raise NoFolderError(
            f"corpus={corpus.kind}: lay texts stand beside the documents of a folder (corpus=folder)"
        )
    if not corpus.folder.is_dir():
        raise NoFolderError(f"{settings.corpus.path}: no such folder")
    build = open_build(corpus.builds, settings)
    texts, not_needed = lay_texts_of(corpus), lay_texts_of(corpus, NOT_NEEDED)
    done = {(item.act, item.section) for item in (read_lay_queries(texts) if texts else ())}
    if not_needed:
        done |= {(i.act, i.section) for i in read_objects(not_needed, Citation, key=("act", "section"))}
    law = build.eligible(None) & build.citable
    cited = {build.citations[chunk] for chunk, is_law in zip(build.chunk_ids, law, strict=True) if is_law}
    rows = [row for row in build.table(PROVISIONS).to_pylist() if row["provision_id"] in cited]
    with_texts = build.expansion.texts if build.expansion else {}
    done |= {(row["act_id"], row["number"]) for row in rows if row["provision_id"] in with_texts}
    requests = lay_requests(rows, {act["act_id"]: act["title"] for act in build.acts}, done.__contains__)
    tokenizer = Tokenizer(passage_model(build.embed_config, build.models))
    return requests, sum(len(tokenizer.offsets(m["content"])) for some in requests.values() for m in some)


def add_lay_texts(
    requests: Mapping[Label, Messages], settings: Settings, progress: Progress
) -> Iterator[str]:
    """Ask a model, write what it says beside the documents as it comes, and say in the end what was written.

    Raises EndpointError, BatchPending, or NoRepliesError if provisions have no reply.
    """
    if not requests or not (endpoint := endpoint_of(settings, "lay-texts", True)):
        return
    errors: list[str] = []
    written, pending = {LAY_TEXTS: 0, NOT_NEEDED: 0}, None
    with progress.step("lay texts", len(requests)) as done:
        try:
            for lines, failed in write_lay_texts(requests, endpoint, settings.store_folder, done):
                errors += failed
                for name, new in lines.items():
                    file = corpus_paths(settings).folder / name
                    # read anew: its owner may have changed it meanwhile
                    before = file.read_text(encoding="utf-8").rstrip("\n") if file.is_file() else ""
                    added = [json.dumps(one, ensure_ascii=False) for one in new]
                    if added:
                        write_atomically(file, "\n".join([*filter(None, [before]), *added, ""]))
                    written[name] += len(new)
        except BatchPending as error:
            pending = error
    if written[LAY_TEXTS]:
        yield f"lay texts of {written[LAY_TEXTS]} provisions added to {LAY_TEXTS}: index the folder again"
    if written[NOT_NEEDED]:
        yield f"nobody would ask about {written[NOT_NEEDED]} provisions: {NOT_NEEDED} names them"
    if pending:
        raise pending
    if errors:
        left = len(requests) - sum(written.values())
        more = f" (it is asked no more after {PATIENCE} in a row)" if left > len(errors) else ""
        raise NoRepliesError(
            f"{left} provisions have no reply of the model{more}; the next run asks again: {errors[-1]}"
        )
