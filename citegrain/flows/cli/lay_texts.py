"""The command ``lay-texts``."""

from __future__ import annotations

import json

from citegrain.flows.cli.terminal import (
    DryRun,
    Overrides,
    Terminal,
    fail,
    in_one_line,
    line,
    settings_of,
    shown,
)


def lay_texts(overrides: Overrides = None, dry_run: DryRun = False) -> None:
    """Let a language model write lay texts for an indexed folder.

    They are lines of lay_texts.jsonl in that folder, which may be written by hand: {"act": "arms-act-1959",
    "section": "25", "plain": "...", "scene": "...", "message": "..."}. Index the folder again to search them.
    """
    from citegrain.flows.index.inputs import corpus_paths, lay_texts_of
    from citegrain.flows.shared.asking import endpoint_of, open_build
    from citegrain.tasks.core.schemas import PROVISIONS
    from citegrain.tasks.core.store.files import write_atomically
    from citegrain.tasks.offline.embed import passage_model
    from citegrain.tasks.offline.lay_texts import LAY_TEXTS, lay_requests, write_lay_texts
    from citegrain.tasks.offline.models import Tokenizer
    from citegrain.tasks.train import read_lay_queries

    settings = settings_of(overrides)
    corpus = settings.corpus
    if corpus.kind != "folder":
        fail(f"corpus={corpus.kind}: lay texts stand beside the documents of a folder (corpus=folder)", 2)
    file = corpus_paths(settings).folder / LAY_TEXTS
    if not file.parent.is_dir():
        fail(f"{corpus.path}: no such folder", 2)
    with in_one_line(settings.artifacts_folder):
        build = open_build(settings.builds_folder / corpus.name, settings)
        present = read_lay_queries(file) if lay_texts_of(corpus_paths(settings)) else ()
        labels = {(item.act, item.section) for item in present}
        law = build.eligible(None) & build.citable
        cited = {build.citations[chunk] for chunk, is_law in zip(build.chunk_ids, law, strict=True) if is_law}
        rows = [row for row in build.table(PROVISIONS).to_pylist() if row["provision_id"] in cited]
        with_texts = build.expansion.texts if build.expansion else {}
        written = {
            (row["act_id"], row["number"]) for row in rows if row["provision_id"] in with_texts
        } | labels
        titles = {act["act_id"]: act["title"] for act in build.acts}
        requests = lay_requests(rows, titles, written.__contains__)
        tokenizer = Tokenizer(passage_model(build.embed_config, build.models))
        tokens = sum(len(tokenizer.offsets(m["content"])) for some in requests.values() for m in some)
        line(f"{len(requests)} provisions without lay texts: about {tokens:,} tokens to read")
        if dry_run or not requests or not (endpoint := endpoint_of(settings, "lay-texts", True)):
            return
        with Terminal().step("lay texts", len(requests)) as done:
            lines, errors = write_lay_texts(requests, endpoint, settings.store_folder, done)
        if lines:
            before = file.read_text(encoding="utf-8") if present else ""
            if before and not before.endswith("\n"):
                before += "\n"
            added = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines)
            write_atomically(file, before + added)
    if lines:
        line(f"lay texts of {len(lines)} provisions added to {shown(file)}: index the folder again")
    elif not errors:
        line("the model finds that nobody would ask about any of them: nothing was added")
    if errors:
        fail(f"{len(errors)} provisions have no reply, and the next run asks again: {errors[0]}", 1)
