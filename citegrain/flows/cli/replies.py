"""The commands of a model's replies: ``replies export`` and ``replies import``."""

import json
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from citegrain.flows.cli.terminal import Overrides, fail, in_one_line, line, settings_of, shown, with_cfg

replies = typer.Typer(no_args_is_help=True, help="Replies of language models, to be run again without them.")
_CARD = ".card.json"
File = Annotated[Path, typer.Argument(help="File of replies, JSON lines.")]


def export(
    file: File,
    overrides: Overrides = None,
    model: Annotated[str, typer.Option(help="Of this model alone.")] = "",
    numbers: Annotated[bool, typer.Option("--numbers", help="Leave out every text of a reply.")] = False,
    day: Annotated[str, typer.Option(help="Day on which the model was asked; today if not given.")] = "",
) -> None:
    """Write the replies that are kept, with a card and lists."""
    from citegrain.tasks.core.endpoint import kept_replies, write_lists
    from citegrain.tasks.core.store.files import hash_file

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        lines = list(kept_replies(settings.store_folder, model))
        if not lines:
            fail(f"no reply {f'of {model} ' if model else ''}is kept in {shown(settings.store_folder)}", 1)
        if numbers:
            for one in lines:
                message = one["response"]["body"]["choices"][0]["message"]
                message["content"] = _numbers(message["content"])
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), encoding="utf-8"
        )
        models = sorted({one["response"]["body"]["model"] for one in lines})
        card = {
            "models": models,
            "day": day or date.today().isoformat(),
            "replies": len(lines),
            "texts": not numbers,
            "sha256": hash_file(file),
        }
        _card_of(file).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
        write_lists(settings.store_folder, file)
    line(f"{len(lines)} replies of {', '.join(models)}: {shown(file)}")


def _numbers(content: str) -> str:
    """A reply without its texts, as JSON; one that is no object is left out."""
    try:
        value = json.loads(content)
    except ValueError:
        return ""
    return json.dumps({key: part for key, part in value.items() if not isinstance(part, str)})


def import_(file: File, overrides: Overrides = None) -> None:
    """Take over a file of replies for endpoint=recorded."""
    from citegrain.tasks.core.endpoint import REPLIES, add_lists, read_replies
    from citegrain.tasks.core.store.files import hash_file

    settings = settings_of(overrides)
    with in_one_line(settings.artifacts_folder):
        if not file.is_file():
            fail(f"{file}: there is no such file", 2)
        given = len(read_replies(file))
        if not _card_of(file).is_file():
            fail(f"{shown(_card_of(file))} is missing: it must say the digest of the replies", 1)
        card = json.loads(_card_of(file).read_text(encoding="utf-8"))
        if card.get("sha256") != hash_file(file):
            fail(f"{file}: its digest is not that of its card", 1)
        target = settings.artifacts_folder / "batch" / REPLIES
        target.parent.mkdir(parents=True, exist_ok=True)
        present = set(target.read_bytes().splitlines()) if target.is_file() else set()
        with target.open("ab") as out:
            out.writelines(row + b"\n" for row in file.read_bytes().splitlines() if row not in present)
        add_lists(file, target)
    line(f"{given} replies of {', '.join(card['models'])}: {shown(target)}")


def _card_of(file: Path) -> Path:
    return file.with_name(file.name + _CARD)


replies.command("export")(with_cfg(export))
replies.command("import")(with_cfg(import_))
