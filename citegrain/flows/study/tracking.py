"""MLflow: one parent run a study, one child a configuration. The only module that writes to it.

It reads the folder of a study, so that a study can be logged again, or to another server, at any time.
"""

import json
import os
import shlex
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pyarrow.parquet as pq
from filelock import FileLock

from citegrain.tasks.core.pages import markdown_text
from citegrain.tasks.core.schemas import EFFECTS, SUMMARY, TIMINGS
from citegrain.tasks.core.stage import digest
from citegrain.tasks.core.store.artefacts import MANIFEST
from citegrain.tasks.evaluation.report import (
    declared_effects,
    differing,
    family_rows,
    is_measured,
    main_metrics,
    summary_table,
    title,
)
from citegrain.tasks.evaluation.score import METRICS, kinds_with
from citegrain.tasks.evaluation.studies import FACTS, StudyFolder, read_study

# beside the main and the declared ones: a page of MLflow is slow with all that are in summary.parquet
_SELDOM = ("primary_", "fused_", "hit_", "recall_", "precision_", "mrr_", "mismatch_", "map")
LOGGED = ("primary_accuracy", "recall_20", *(name for name in METRICS if not name.startswith(_SELDOM)))
_COLUMNS = 4  # main metrics that the list of runs opens on, each with its interval
_VARIED = 4  # parameters beside them
_FIRST = ("retrieve.channels", "fuse.method", "rerank.scorer", "select.method")  # of what varies
_NAME = 34  # characters of a run's name for which there is room
_HOW = "Intervals are 95%: Wilson's of proportions, BCa bootstrap over the queries of means."
_ORDER = {"orderByKey": "attributes.start_time", "orderByAsc": "true"}
VIEW = "citegrain.view"
"""Tag of an experiment: how its list of runs opens, for ``flows.serving.ui``."""
_BATCH = 1000  # metrics that MLflow takes at once
_LONGEST = 6000  # characters of a parameter that MLflow takes


def uri(artifacts: Path) -> str:
    """Where runs are kept: ``MLFLOW_TRACKING_URI``, else SQLite below ``artifacts``."""
    return os.environ.get("MLFLOW_TRACKING_URI", "") or f"sqlite:///{artifacts / 'mlflow.db'}"


def log_study(folder: Path, artifacts: Path) -> tuple[str, str]:
    """Log a study, unless it is logged already: the ids of the experiment and of the parent run."""
    facts = json.loads((folder / FACTS).read_text(encoding="utf-8"))
    with _client(artifacts) as client:
        experiment = _experiment(client, f"{facts['benchmark']['name']} on {facts['corpus']}", artifacts)
        identity = study_digest(facts)
        logged = client.search_runs([experiment], f"tags.study_digest = '{identity}' and tags.kind = 'study'")
        if logged:
            return experiment, str(logged[0].info.run_id)
        tags = _tags(facts) | {"kind": "study", "mlflow.runName": facts["study"]}
        parent = client.create_run(experiment, tags=tags).info.run_id
        with _ended(client, parent):
            client.set_tag(parent, "study_run", parent)
            _fill_parent(client, parent, folder)
            study = read_study(folder, [SUMMARY, TIMINGS])
            for name in facts["configurations"]:
                _log_child(client, experiment, parent, study, name)
            client.set_experiment_tag(experiment, VIEW, json.dumps(_view(study)))
            client.set_tag(parent, "study_digest", identity)  # last: what is logged half is logged again
    return experiment, str(parent)


def log_training(folder: Path, artifacts: Path) -> str:
    """Log a training from its artefact, unless it is logged already. Returns the id of its run."""
    from mlflow.entities import Metric, Param

    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    key, environment = manifest["key"], manifest["environment"]
    with _client(artifacts) as client:
        experiment = _experiment(client, "training", artifacts)
        logged = client.search_runs([experiment], f"tags.key = '{folder.name}'")
        if logged:
            return str(logged[0].info.run_id)
        tags = {
            "kind": "training",
            "git_commit": str(environment["git_commit"]),
            "machine": str(environment["machine"]),
            "weights": str(key["inputs"]["weights"]),
            "texts": str(key["inputs"]["texts"]),
        }
        run = str(client.create_run(experiment, tags=tags, run_name=folder.name[:8]).info.run_id)
        with _ended(client, run):
            params = [Param(f"train.{k}", str(v)[:_LONGEST]) for k, v in key["params"].items()]
            now = int(time.time() * 1000)
            rows = pq.read_table(folder / "learning.parquet").to_pylist()
            client.log_batch(run, params=params)
            for at in range(0, len(rows), _BATCH):
                metrics = [
                    Metric(f"{r['split']}_{r['metric']}", r["value"], now, max(0, r["step"]))
                    for r in rows[at : at + _BATCH]
                ]
                client.log_batch(run, metrics=metrics)
            for path in sorted(folder.iterdir()):
                client.log_artifact(run, str(path))
            client.set_tag(run, "key", folder.name)  # last: what is logged half is logged again
    return run


def study_digest(facts: Mapping[str, Any]) -> str:
    """Digest of what distinguishes a study: configurations, builds, benchmark, seed, failures."""
    members = {
        name: {k: v for k, v in configuration.items() if k != "overrides"}
        for name, configuration in facts["configurations"].items()
    }
    parts = [facts["study"], members, facts["benchmark"], facts["seed"], facts["baseline"]]
    return digest([*parts, facts["design"]] if facts.get("design") else parts)[:32]


@contextmanager
def _ended(client: Any, run: str) -> Iterator[None]:
    """Around the work on a run: whatever happens, the run ends as finished or failed."""
    try:
        yield
        client.set_terminated(run)
    except BaseException:
        client.set_terminated(run, "FAILED")
        raise


@contextmanager
def _client(artifacts: Path) -> Iterator[Any]:
    """A client. Only one process at a time creates the database."""
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    os.environ.setdefault("DO_NOT_TRACK", "1")
    os.environ.setdefault("MLFLOW_LOGGING_LEVEL", "ERROR")  # read when it is imported
    from mlflow import MlflowClient

    artifacts.mkdir(parents=True, exist_ok=True)
    with FileLock(artifacts / ".mlflow.lock"):
        client = MlflowClient(tracking_uri=uri(artifacts))
        yield client


def _experiment(client: Any, name: str, artifacts: Path) -> str:
    experiment = client.get_experiment_by_name(name)
    if experiment is not None:
        return str(experiment.experiment_id)
    location = (artifacts / "mlruns").resolve().as_uri() if uri(artifacts).startswith("sqlite") else None
    kind = {"mlflow.experimentKind": "custom_model_development"}  # else the page opens on chat traces
    return str(client.create_experiment(name, artifact_location=location, tags=kind))


def study_page(experiment: str, parent: str) -> str:
    """Path of the page that shows the configurations of a study side by side."""
    search = {"searchFilter": f"tags.study_run = '{parent}'", **_ORDER}
    return f"/#/experiments/{experiment}/runs?{urlencode(search, quote_via=quote)}"


def _factors(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    """Levels by factor of a factorial study; empty for other studies."""
    factors: Mapping[str, Any] = (facts.get("design") or {}).get("factors", {})
    return factors


def _view(study: StudyFolder) -> dict[str, Any]:
    """How MLflow's list of runs opens: the main metrics, each with its interval beside it, and what varies.

    Names are those of the state that its page keeps in the browser; widths are pixels: no name is cut.
    """
    main = [metric for metric in main_metrics(study) if is_measured(study, metric)][:_COLUMNS]
    metrics = [f"{_key(metric)}{part}" for metric in main for part in ("", "_lo", "_hi")]
    keys, _ = differing({name: one["config"] for name, one in study.facts["configurations"].items()})
    ordered = [*(key for key in _FIRST if key in keys), *(key for key in keys if key not in _FIRST)]
    factors = [f"factor.{name}" for name in _factors(study.facts)]
    columns = {
        **{f"metrics.`{name}`": name for name in (*metrics, "query_ms_p50")},
        **{f"params.`{name}`": name for name in factors or ordered[:_VARIED]},
    }
    longest = min(_NAME, max(map(len, [study.facts["study"], *study.configurations])))
    shown = {"attributes.`Run Name`": "-" * (longest + 7), **columns}
    return {
        "selectedColumns": list(columns),
        "columnOrder": list(shown),
        "columnWidths": {column: max(90, 7 * len(name) + 30) for column, name in shown.items()},
    }


def _tags(facts: Mapping[str, Any]) -> dict[str, str]:
    environment, benchmark = facts["environment"], facts["benchmark"]
    return {
        "study": facts["study"],
        "corpus": facts["corpus"],
        "benchmark": benchmark["name"],
        **{f"benchmark_{name}": benchmark[name] for name in ("split", "sha256", "as_of")},
        "command": facts["command"],
        "libraries": json.dumps(environment["libraries"], sort_keys=True),
    } | {name: str(environment[name]) for name in ("git_commit", "python", "machine", "source")}


def _fill_parent(client: Any, run: str, folder: Path) -> None:
    """Files, note, what was varied, and the main metrics of the configuration shown in detail."""
    from mlflow.entities import Metric

    study = read_study(folder, [EFFECTS, SUMMARY, TIMINGS])
    now = int(time.time() * 1000)
    main = {_key(metric) for metric in main_metrics(study)[:_COLUMNS]}
    shown = {
        name: value
        for name, value in _metrics(study, study.focus).items()
        if {name, name.rpartition("_")[0]} & main
    }
    client.log_batch(run, metrics=[Metric(name, value, now, 0) for name, value in shown.items()])
    client.set_tag(run, "shown_configuration", study.focus)
    client.set_tag(run, "varied", varied(study.facts)[:_LONGEST])
    for path in sorted(folder.iterdir()):
        if path.is_file():
            client.log_artifact(run, str(path))
        elif path.name == "figures":
            client.log_artifacts(run, str(path), "figures")
    client.set_tag(run, "mlflow.note.content", _note(study))


def varied(facts: Mapping[str, Any]) -> str:
    """What a study varies: factors with their levels, else the parameters in which configurations differ."""
    if factors := _factors(facts):
        return "; ".join(f"{name}: {', '.join(levels)}" for name, levels in factors.items())
    keys, flat = differing({name: one["config"] for name, one in facts["configurations"].items()})
    values = {key: dict.fromkeys(params.get(key, "") for params in flat.values()) for key in keys}
    words = "; ".join(f"{key}: {', '.join(different)}" for key, different in values.items())
    return words or "nothing: one configuration"


def _note(study: StudyFolder) -> str:
    """For the page of the parent run: results, what was varied, what its metrics mean."""
    facts = study.facts
    head = f"{facts['benchmark']['description'] or facts['benchmark']['name']}. {facts['plan']}."
    factorial = _factors(facts)
    table = declared_effects(family_rows(study)) if factorial else summary_table(study, None, study.scored)
    shown = f"{_HOW} The metrics of this run are those of `{study.focus}`."
    described = {**METRICS, **facts["own_metrics"]}
    meanings = [f"- `{m}` ({title(m)}): {described[m][1]}" for m in _logged(study)]
    # MLflow shows the backslash before this sign
    results = [markdown_text(table.caption), "", *(row.replace("\\@", "@") for row in table.markdown())]
    changes = [f"- {line}" for line in varied(facts).split("; ")]
    return "\n".join([shown, "", *results, "", head, "", "Varied:", "", *changes, "", *meanings])


def _child_note(study: StudyFolder, name: str) -> str:
    """For the page of a configuration: its main metrics with interval, method and n, and how it differs.

    The page shows the first lines of a note alone until it is unfolded.
    """
    lines, kinds = [], kinds_with(study.facts["own_metrics"])
    for metric in main_metrics(study):
        if row := study.cells.get((name, metric)):
            how = "Wilson" if kinds[metric] == "proportion" else "BCa bootstrap"
            interval = f"[{row['lo']:.3f}, {row['hi']:.3f}]"
            lines.append(f"- {title(metric)}: **{row['value']:.3f}** {interval}, {how}, n = {row['n']}")
    overrides = shlex.join(study.facts["configurations"][name]["overrides"]) or "nothing"
    return "\n".join([*lines, "", f"Differs by: `{overrides}`. {_HOW}"])


def _log_child(client: Any, experiment: str, parent: str, study: StudyFolder, name: str) -> None:
    from mlflow.entities import Metric, Param

    facts = study.facts
    configuration = facts["configurations"][name]
    tags = _tags(facts) | {
        "kind": "configuration",
        "study_run": parent,
        "mlflow.runType": "evaluation",  # MLflow's page unfolds a parent whose children are evaluations
        "mlflow.parentRunId": parent,
        "mlflow.runName": name,
        "build": str(configuration["build"]),
        "build_content": str(configuration["build_content"]),
        "weights": str(configuration["weights"]),
        "overrides": " ".join(configuration["overrides"]),
        "generator": configuration["generator"],
        "mlflow.note.content": _child_note(study, name),
    }
    run = client.create_run(experiment, tags=tags).info.run_id
    now = int(time.time() * 1000)
    metrics = [Metric(key, value, now, 0) for key, value in _metrics(study, name).items()]
    cell = (facts.get("design") or {}).get("cells", {}).get(name, {})
    params = [Param(f"factor.{factor}", level) for factor, level in cell.items()]
    for stage, of_stage in configuration["config"].items():
        params += [Param(f"{stage}.{key}", str(value)[:_LONGEST]) for key, value in of_stage.items()]
    client.log_batch(run, metrics=metrics, params=params)
    for sub in ("runs", "csv", "answers"):
        for path in sorted((study.folder / sub).glob(f"{name}.*")):
            client.log_artifact(run, str(path), sub)
    client.set_terminated(run, "FAILED" if configuration["failure"] else "FINISHED")


def _key(metric: str) -> str:
    """Its name in MLflow, which takes no colon on every system."""
    return metric.replace(":", ".")


def _logged(study: StudyFolder) -> list[str]:
    """Main and declared metrics first: MLflow's page that compares runs opens on the first."""
    return [m for m in dict.fromkeys([*main_metrics(study), *LOGGED]) if is_measured(study, m)]


def _metrics(study: StudyFolder, name: str) -> dict[str, float]:
    """Those that are logged, with ``_lo``, ``_hi`` and ``_n``; and the time of a query."""
    out: dict[str, float] = {}
    for metric in _logged(study):
        if row := study.cells.get((name, metric)):
            out[_key(metric)] = row["value"]
            out |= {f"{_key(metric)}_{part}": float(row[part]) for part in ("lo", "hi", "n")}
    for row in study.rows("timings"):
        if row["configuration"] == name:
            for part in ("tokens_in", "tokens_out", "cost") if not row["step"].startswith("single_") else ():
                out[f"query_{part}"] = out.get(f"query_{part}", 0.0) + (row.get(part) or 0.0)
            if row["step"] == "single_p50":
                out["query_ms_p50"] = row["ms"]
    return {key: round(value, 4) for key, value in out.items() if value == value}  # NaN breaks its page
