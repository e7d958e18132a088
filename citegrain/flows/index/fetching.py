"""A corpus over HTTP, fetched into its folder: the only place where a run goes out for documents."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from citegrain.flows.shared.progress import Progress
from citegrain.flows.shared.settings import Settings
from citegrain.tasks.core.paths import located
from citegrain.tasks.core.store import StoreError
from citegrain.tasks.core.store.files import explain
from citegrain.tasks.offline.corpus import CorpusError
from citegrain.tasks.offline.corpus.remote import Fetched, HttpConfig, Secret, read_list, refresh


def fetch_corpus(settings: Settings, progress: Progress) -> list[Fetched]:
    """Bring the folder of a corpus over HTTP up to date and say what became of each document.

    Nothing is done, and nothing returned, for a corpus that is not given by URLs. A document that could not
    be fetched keeps the file it has, so that a build does not lose it.

    Raises
    ------
    CorpusError
        If the list is wrong, the secret is not set, or another process is fetching.
    StoreError
        If the folder cannot be written.
    """
    corpus = settings.corpus
    if corpus.kind != "http":
        return []
    listed = read_list(located(corpus.sources))
    secret = read_secret(corpus.http)
    folder = located(corpus.path)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        with progress.step("fetch", len(listed)) as done:
            fetched = refresh(listed, folder, corpus.http, secret, now, done)
    except OSError as error:
        raise StoreError(explain(error, folder)) from error
    for one in fetched:
        if one.status != "unchanged":
            progress.say(one.line)
    return fetched


def read_secret(config: HttpConfig) -> Secret | None:
    """The secret of the environment, where the configuration names one.

    Raises
    ------
    CorpusError
        If the variable is not set, or is no ``user:password`` where one must be.
    """
    if not config.auth:
        return None
    value = os.environ.get(config.auth_env, "").strip()
    if not value:
        raise CorpusError(f"corpus.http.auth_env={config.auth_env}: the environment has no such variable")
    if not value.isascii() or not value.isprintable() or (config.auth == "basic" and ":" not in value):
        secret = "user:password" if config.auth == "basic" else "a token"
        raise CorpusError(f"corpus.http.auth_env={config.auth_env}: must be {secret} of ASCII signs")
    return Secret(config.auth, config.auth_host, value)
