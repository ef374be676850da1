"""Inner parts of libraries are used in one module for each library, which says for which version that was written."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from inspect import isclass
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import webclient
from webclient.support.library_parts import expect, replace

MODULES = {
    "webclient.protocol.transports.sdk_patches": ["mcp"],
    "webclient.network.outgoing": ["httpx2", "httpcore2"],
    "webclient.runtime.serving": ["uvicorn"],
    "webclient.auth.oidc_provider.provider": ["Authlib"],
    "webclient.web.http.templating": ["Jinja2"],
}
"""The modules that may use inner parts, with their libraries."""

PUBLIC = {"_replace", "_asdict", "_mapping", "_value_"}
"""Names with an underscore that are documented: of named tuples, rows and enumerations."""

SETTINGS = {"ImageFile.LOAD_TRUNCATED_IMAGES"}
"""Attributes of modules that their documentation tells to set."""

HOUSE = Path(webclient.__file__).parent
PATHS = [path for path in sorted(HOUSE.rglob("*.py")) if not {"demo", "migrations"} & set(path.parts)]


@pytest.mark.parametrize("name", MODULES)
def test_inner_parts_are_those_of_the_installed_version(name: str) -> None:
    """With a new version, look at each place below, then change `WRITTEN_FOR`."""
    module = import_module(name)
    installed = {library: ".".join(version(library).split(".")[:2]) for library in MODULES[name]}
    assert installed == module.WRITTEN_FOR, "Look at:\n" + "\n".join(module.RELIED_ON)


@pytest.mark.parametrize("name", MODULES)
def test_places_that_rely_on_a_library_exist(name: str) -> None:
    for place in import_module(name).RELIED_ON:
        path = place.partition(": ")[0].split(" and ")[0]
        assert [root for root in (HOUSE, HOUSE / "protocol") if (root / path).is_file()], place


def test_no_other_module_uses_inner_parts() -> None:
    faults = [
        f"{_name_of(path)}:{line}: {found}" for path in PATHS for line, found in inner_parts(path.read_text("utf-8"))
    ]
    assert [fault for fault in faults if fault.partition(":")[0] not in MODULES] == []


def test_no_class_takes_a_private_name_of_a_library() -> None:
    """A subclass that gives such a name another meaning breaks with the next version, or already has."""
    faults = []
    for name in map(_name_of, PATHS):
        if not name.endswith("__main__"):
            faults += [f"{name}: {fault}" for fault in taken_names(import_module(name))]
    assert faults == []


def inner_parts(text: str) -> Iterator[tuple[int, str]]:
    """Yield a module's uses of private parts of libraries, and its changes of them."""
    tree = ast.parse(text)
    foreign: set[str] = set()
    standard: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        prefix = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for each in node.names:
            name, own = prefix + each.name, (each.asname or each.name).partition(".")[0]
            if _is_library(name):
                foreign.add(own)
                if any(_is_private(part) for part in name.split(".")):
                    yield node.lineno, name
            elif name.partition(".")[0] != "webclient":
                standard.add(own)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _root(node) not in standard:
            changes = isinstance(node.ctx, ast.Store) and _root(node) in foreign
            is_inner = _is_private(node.attr) and not _is_own(node.value)
            if (changes or is_inner) and ast.unparse(node) not in SETTINGS:
                yield node.lineno, ast.unparse(node)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "setattr" and _root(node.args[0]) in foreign:
            yield node.lineno, ast.unparse(node)


def taken_names(module: ModuleType) -> Iterator[str]:
    """Yield private names that classes of a module share with a library's class above them."""
    for made in vars(module).values():
        if not (isclass(made) and made.__module__ == module.__name__):
            continue
        own = _private_names(made)
        for base in made.__mro__[1:]:
            if _is_library(base.__module__) and not base.__module__.startswith(("pydantic", "mcp_types", "typing")):
                yield from (f"{made.__name__}.{name} of {base.__name__}" for name in own & _private_names(base))


def _private_names(made: type) -> set[str]:
    functions = [f for f in vars(made).values() if isinstance(f, FunctionType) and f.__module__ != "typing"]
    used = {name for each in functions for name in each.__code__.co_names}
    return {name for name in used | set(vars(made)) if _is_private(name)} - {"_abc_impl", "_is_protocol"}


def _name_of(path: Path) -> str:
    return ".".join(path.relative_to(HOUSE.parent).with_suffix("").parts).removesuffix(".__init__")


def _is_library(module: str) -> bool:
    return module.partition(".")[0] not in {"webclient", "builtins", *sys.stdlib_module_names}


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__") and name not in PUBLIC


def _is_own(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id in ("self", "cls", "made")


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from httpcore2._backends.anyio import AnyIOStream", "httpcore2._backends.anyio.AnyIOStream"),
        ("from mcp.client import _stdio", "mcp.client._stdio"),
        ("def use(client): return client._dispatcher", "client._dispatcher"),
        ("import uvicorn\nuvicorn.Server.run = None", "uvicorn.Server.run"),
        ("from uvicorn import Server\nsetattr(Server, 'run', None)", "setattr(Server, 'run', None)"),
    ],
)
def test_each_use_of_an_inner_part_is_found(source: str, found: str) -> None:
    assert [each for _line, each in inner_parts(source)] == [found]


def library(source: str) -> ModuleType:
    """Return a module like one of a library."""
    module = ModuleType("library")
    exec(source, module.__dict__)  # noqa: S102  (our own text)
    module.__dict__.update({"__name__": "library"})
    return module


SOURCE = """
__name__ = "library"
LIMIT = 1

def part(line):
    return LIMIT

def user():
    def inner():
        return part(1)
    return inner
"""


def test_a_part_is_replaced_for_its_users() -> None:
    module = library(SOURCE)
    before = replace(module, "part", lambda line: line + 1, users=1, parameters="line")
    assert (before(1), module.user()()) == (1, 2)


@pytest.mark.parametrize(
    ("name", "users", "parameters"),
    [("gone", 1, None), ("part", 2, None), ("LIMIT", 0, None), ("part", 1, "line size")],
    ids=["gone", "fewer users", "more users", "other parameters"],
)
def test_a_part_that_has_changed_ends_the_import(name: str, users: int, parameters: str | None) -> None:
    module = library(SOURCE)
    with pytest.raises(ImportError, match=f"library.{name}"):
        replace(module, name, None, users=users, parameters=parameters)
    assert module.LIMIT == 1


def test_an_expected_part_is_checked() -> None:
    module = library(SOURCE)
    expect(module.part, "line", "LIMIT")
    expect(module.user, "", "part")
    with pytest.raises(ImportError, match=r"library.part: its parameters should be size, and are line"):
        expect(module.part, "size")
    with pytest.raises(ImportError, match=r"library.part: it should use _pool"):
        expect(module.part, "line", "_pool")
