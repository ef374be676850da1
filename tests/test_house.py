"""The rooms of the house keep to themselves: who may touch the SDK, SQL and HTML, and what the rules may know."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import webclient

HOUSE = Path(webclient.__file__).parent
MODULES = sorted(HOUSE.rglob("*.py"))
REPOSITORY = HOUSE.parent

KEPT_TO = {
    # The demo's servers are programs of their own, which happen to be in this package.
    "mcp": ("protocol", "servers", "calls", "inbox", "demo"),
    "sqlalchemy": ("store",),
    "alembic": ("store",),
    "sqlite3": ("store",),
    "jinja2": ("http", "demo"),
    "markupsafe": ("http",),
}

PURE = {"forms": ("forms", "i18n", "errors", "letters"), "consent": ("consent", "forms", "i18n", "errors", "letters")}
"""Rooms of rules without side effects, and what of ours they may import."""

SIDE_EFFECTS = {"anyio", "asyncio", "fastapi", "httpx2", "io", "os", "pathlib", "socket", "starlette", "subprocess"}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


def room(path: Path) -> str:
    return path.relative_to(HOUSE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


@pytest.mark.parametrize("library", KEPT_TO)
def test_a_library_is_touched_in_its_rooms_only(library: str) -> None:
    users = {room(path) for path in MODULES for name in imported(path) if name.split(".")[0] == library}
    assert users, f"{library} is not used at all"
    assert users <= set(KEPT_TO[library])


@pytest.mark.parametrize("pure", PURE)
def test_rules_know_nothing_of_web_store_sdk_and_the_world(pure: str) -> None:
    known = {name for path in MODULES if room(path) == pure for name in imported(path)}
    ours = {name.split(".")[1] for name in known if name.startswith("webclient.")}
    assert ours <= set(PURE[pure])
    assert {name.split(".")[0] for name in known} & SIDE_EFFECTS == set()


def test_the_servers_of_the_demo_share_no_code_with_the_client() -> None:
    ours = {name for path in MODULES if room(path) == "demo" for name in imported(path) if name.startswith("webclient")}
    assert {name for name in ours if not name.startswith("webclient.demo")} == {"webclient.paths"}


def test_html_is_written_in_templates_only() -> None:
    tag = re.compile(r"</?[a-z][a-z-]*( [^<]*)?>")
    documented = {id(node.value) for path in MODULES for node in ast.walk(tree(path)) if isinstance(node, ast.Expr)}
    written = [
        f"{path.name}: {node.value}"
        for path in MODULES
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
        if tag.search(node.value)
    ]
    assert written == []


def test_every_library_that_is_used_is_declared_and_the_other_way_round() -> None:
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["dependencies"]
    wanted = {_plain(re.split(r"[\[<>=]", each)[0]) for each in declared}
    names = {name.split(".")[0] for path in MODULES for name in imported(path)} - {"webclient"}
    used = {_plain(packages_distributions()[name][0]) for name in names - sys.stdlib_module_names}
    # The SDK pins its types to itself; SQLAlchemy and Starlette import the others by name.
    assert used - {"mcp-types"} == wanted - {"aiosqlite", "python-multipart"}


def _plain(distribution: str) -> str:
    return distribution.lower().replace("_", "-")


@pytest.mark.parametrize("folder", ["webclient", "tests", "bench"])
def test_every_module_says_first_what_it_is(folder: str) -> None:
    silent = [
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / folder).rglob("*.py")
        if path.read_text().strip() and not ast.get_docstring(tree(path))
    ]
    assert silent == []


def test_no_module_grows_beyond_what_is_read_in_one_go() -> None:
    lengths = {path.name: len(path.read_text().splitlines()) for path in MODULES}
    assert {name for name, lines in lengths.items() if lines > 250} == set()
