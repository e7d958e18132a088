"""What a study was computed with: enough to repeat it."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from citegrain.flows.shared.choices import StudyConfig
from citegrain.flows.shared.settings import shaping
from citegrain.flows.study.study import Member, Study
from citegrain.tasks.core.store.files import environment
from citegrain.tasks.evaluation.benchmark import groups
from citegrain.tasks.evaluation.design import Design


def describe(study: Study, command: list[str]) -> dict[str, Any]:
    """The facts of a study, as ``study.json`` keeps them."""
    config, corpus = study.settings.benchmark, study.settings.corpus
    facts = {"design": _design(study, study.design)} if study.design is not None else {}
    return facts | {
        "study": study.name,
        "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join(["citegrain", *command]),
        "plan": study.line,
        "environment": environment(),
        "corpus": corpus.name,
        "benchmark": {
            "name": study.benchmark.name,
            "split": study.benchmark.split,
            "path": config.path if not Path(config.path).is_absolute() else Path(config.path).name,
            "sha256": study.benchmark.sha256,
            "queries": len(study.benchmark.records),
            "in_scope": sum(r.in_scope for r in study.benchmark.records),
            "as_of": study.day.isoformat(),
            "description": config.description,
        },
        "seed": study.settings.bench.seed,
        "baseline": study.baseline,
        "metrics": list(study.metrics),
        "warnings": study.warnings,
        "workers_lost": study.lost_workers,
        "configurations": {m.name: _described(m) for m in study.members},
        "questions": {r.id: _question(r, study.as_of[r.id]) for r in study.benchmark.records},
    }


def _design(study: Study, config: StudyConfig) -> dict[str, Any]:
    """What was varied, what was declared, and what is missing."""
    design = config.design
    return {
        "factors": {name: list(levels) for name, levels in design.factors.items()},
        "base": config.base,
        "levels": config.factors,
        "cells": {name: dict(cell) for name, cell in design.cells.items()},
        "contrasts": [asdict(contrast) for contrast in config.contrasts],
        "metrics": config.metrics,
        "aliases": list(design.aliases),
        "holes": [m.name for m in study.members if m.scores is None],
        "tokens": _tokens(study, design),
    }


def _tokens(study: Study, design: Design) -> dict[str, float]:
    """Mean tokens of a chunk, by the level that a build belongs to, else by the build's key."""
    builds = {m.name: m.cascade.build for m in study.members if m.cascade}
    for factor, levels in design.factors.items():
        folders = {
            level: {builds[c].folder for c in builds if design.cells[c][factor] == level} for level in levels
        }
        by_folder = {folder: level for level, of_level in folders.items() for folder in of_level}
        if all(len(of_level) == 1 for of_level in folders.values()) and len(by_folder) == len(levels):
            break
    else:
        by_folder = {build.folder: build.folder.name[:8] for build in builds.values()}
    return {by_folder[b.folder]: round(b.mean_tokens, 1) for b in builds.values()}


def _described(member: Member) -> dict[str, Any]:
    settings = member.settings
    cascade = member.cascade
    return {
        "overrides": member.overrides,
        "config": {name: asdict(settings.of(name)) for name in shaping()},
        "build": cascade.build.folder.name if cascade else None,
        "build_content": cascade.build.manifest["content"] if cascade else None,
        "weights": cascade.build.manifest["weights"] if cascade else None,
        "generator": generator(member),
        "failure": member.failure,
        "queries_that_failed": member.lost,
    }


def _question(record: Any, day: date | None) -> dict[str, Any]:
    return {
        "text": record.text,
        "applicable": [f"{c.act}/{c.section}" for c in record.applicable],
        "rationale": record.rationale,
        "groups": groups(record),
        "as_of": day.isoformat() if day else "",
    }


def generator(member: Member) -> str:
    """The model that answers."""
    cascade = member.cascade
    if cascade and cascade.endpoint and cascade.config.generate.kind == "llm":
        return cascade.endpoint.model
    return "extractive"
