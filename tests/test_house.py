"""How the house is built: no circle of imports, packages keep their inside to themselves, plain names."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import grimp

from tests.conftest import ROOT

# schemas and files of the store are tables of contents, not an inside
OPEN = ("citegrain.tasks.core.schemas", "citegrain.tasks.core.store")
MOST_LINES, MOST_MAIN_LINES, MOST_MODULES = 76_243, 66_615, 375
MOST_LINES_OF_A_FUNCTION = 60
DIALECT = re.compile(r"(^|_)(un)?told(_|$)", re.IGNORECASE)
# words that do not say what a value is, as names by themselves (CONTRIBUTING.md)
VAGUE = frozenset("apart asked beside found held kept known made named of own whole".split())
# stored or published under this name: a key of answers and of the catalogue, a setting and a kind of training
STORED = {
    "answer/schema.py": "asked",
    "estimate/catalogue.py": "asked",
    "train/config.py": "asked",
    "train/texts.py": "ASKED",
}


def sources(*folders: str) -> list[Path]:
    """The tracked Python files below some folders."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", *folders],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [
        path for name in listed.stdout.split() if (path := ROOT / name).suffix == ".py" and path.is_file()
    ]


def module(path: Path) -> str:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removesuffix(".__init__")


def test_no_module_imports_itself_by_way_of_others() -> None:
    graph = grimp.build_graph("citegrain", cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    list(TopologicalSorter(imports).static_order())  # a CycleError names the circle


def test_a_package_of_a_stage_is_imported_by_its_face_alone() -> None:
    faces = {module(path) for path in sources("citegrain/tasks") if path.name == "__init__.py"}
    packages = [face for face in faces if face.count(".") == 3 and face not in OPEN]
    broken = []
    for path in sources("citegrain"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                package = next((p for p in packages if node.module.startswith(f"{p}.")), "")
                if package and node.module not in faces and not module(path).startswith(package):
                    broken.append(f"{module(path)} imports {node.module}")
    assert broken == []


def test_no_name_is_of_the_old_dialect() -> None:
    broken = []
    for path in sources("citegrain", "tests"):
        for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline):
            if token.type == tokenize.NAME and DIALECT.search(token.string):
                broken.append(f"{path.relative_to(ROOT)}:{token.start[0]} {token.string}")
    assert broken == []


def bound(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of what is bound: variables, parameters, attributes, functions, classes."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.Name(id=name, ctx=ast.Store())
                | ast.Attribute(attr=name, ctx=ast.Store())
                | ast.arg(arg=name)
                | ast.alias(asname=str(name))
                | ast.FunctionDef(name=name)
                | ast.ClassDef(name=name)
            ):
                yield node.lineno, name


def test_a_name_says_what_its_value_is() -> None:
    broken = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sources("citegrain", "tests", "tools")
        for line, name in bound(ast.parse(path.read_text(encoding="utf-8")))
        if name.lower().strip("_") in VAGUE and STORED.get("/".join(path.parts[-2:])) != name
    ]
    assert broken == []


def test_the_house_stays_within_its_limits() -> None:
    """Whoever raises a limit says in the commit what could not go instead."""
    product = sources("citegrain")
    lines = {module(path): len(path.read_text(encoding="utf-8").splitlines()) for path in product}
    plug_ins = ("citegrain.tasks.published", "citegrain.tasks.kinds")
    main = sum(n for name, n in lines.items() if not name.startswith(plug_ins))
    assert sum(lines.values()) <= MOST_LINES and main <= MOST_MAIN_LINES and len(product) <= MOST_MODULES
    assert max(lines.values()) <= 400 and lines["citegrain.tasks.online.cascade"] <= 200
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in product
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MOST_LINES_OF_A_FUNCTION
    ]
    assert long == []
