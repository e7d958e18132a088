"""What people say of answers, as lines of a benchmark: three fields, as docs/benchmarks.md has them."""

import json
import os
import uuid
from pathlib import Path
from threading import Lock

from pydantic import ValidationError

from citegrain.flows.serving.jobs import FileRefused
from citegrain.flows.serving.messages import Judgement, Noted
from citegrain.flows.shared.library import Build
from citegrain.tasks.core.errors import Expected
from citegrain.tasks.core.personal import Masks

_MOST_BYTES = 16 << 20


class FeedbackError(OSError, Expected):
    """The file that judgements are to go to cannot be written."""


class Feedback:
    """A file to which judgements are added, each whole or not at all. ``path``: None refuses them all."""

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._lock = path, Lock()
        try:
            if path is not None:
                path.open("ab").close()
        except OSError as error:
            raise FeedbackError(f"--feedback {path}: cannot be written: {error.strerror}") from None

    @property
    def on(self) -> bool:
        """Whether judgements are taken."""
        return self._path is not None

    def add(self, build: Build, judgement: Judgement) -> Noted:
        """Add a judgement; what is personal in its question is masked. Raises FileRefused."""
        if self._path is None:
            raise FileRefused(409, "no file for judgements: citegrain api --feedback FILE names one")
        from citegrain.tasks.evaluation.benchmark import Citation, Record  # a question needs none of it

        text, noted = Masks().mask(judgement.question), Noted(id=f"page-{uuid.uuid4().hex}")
        try:
            cited = tuple(dict.fromkeys(Citation(c.act, c.section) for c in judgement.applicable))
            Record(id=noted.id, text=text, applicable=cited, primary=cited[0] if cited else None)
        except ValidationError as error:  # it could not be read again
            raise FileRefused(422, str(error.errors()[0]["msg"])) from None
        if absent := [c.label for c in cited if not build.labelled(c.act, c.section)]:
            raise FileRefused(422, f"{', '.join(absent)}: not in this build")
        record = {"id": noted.id, "text": text, "applicable": [c.label for c in cited]}
        line = json.dumps(record, ensure_ascii=False).encode() + b"\n"
        with self._lock, self._path.open("ab+") as file:
            size = file.seek(0, os.SEEK_END)
            if size + len(line) > _MOST_BYTES:
                raise FileRefused(409, "the file for judgements is full")
            file.seek(max(0, size - 1))
            file.write(line if file.read(1) in (b"", b"\n") else b"\n" + line)  # a line may have been cut
        return noted
