"""Import rules of the rooms: who may import whom, through which door, and where libraries, SQL and HTML may be used."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

import webclient
from tests.tables import each_row

HOUSE = Path(webclient.__file__).parent
REPOSITORY = HOUSE.parent
PATHS = sorted(HOUSE.rglob("*.py"))

LONGEST_MODULE = 450
"""Lines that one idea may need; most modules have fewer than 150."""

TABLES = {"webclient.domain.model.reason"}
"""Modules that are one table may be longer."""

SHORTEST_MODULE, SMALL_MODULES = 40, 26
"""Lines of a whole idea, and how many modules still have fewer: this number may only fall."""

LARGEST_FOLDER = 30
"""Files that one can still survey; the upgrades of the store are read one by one."""

ROOMS = (
    "runtime",
    "web",
    "services",
    "cluster",
    "gateway",
    "calls",
    "sampling",
    "servers",
    "auth",
    "notifications",
    "inbox",
    "protocol",
    "store",
    "network",
    "settings",
    "content",
    "domain",
    "demo",
    "support",
)
"""Rooms of `webclient/`, highest first: each imports from those below it only."""

NARROWER = {
    # Rules without side effects.
    "content.forms": {
        "content.confusables",
        "content.secrets",
        "content.visible_text",
        "domain.i18n",
        "domain.languages",
        "domain.time_zones",
    },
    "content.secrets": {"content.confusables", "domain.i18n"},
    "content.links": {"content.confusables", "content.visible_text", "domain.i18n"},
    # The demo's servers are programs of their own, which happen to be in this package.
    "demo": {"support.paths"},
}
"""Folders that import less than their place allows."""

LIBRARIES = {
    "mcp": {"protocol", "gateway", "demo"},
    "mcp_types": {"protocol", "gateway", "demo"},
    "sqlalchemy": {"store"},
    "alembic": {"store"},
    "sqlite3": {"store", "demo"},
    "psycopg": {"store"},
    "babel": {"domain.languages"},
    "jinja2": {"web.http", "demo"},
    "markupsafe": {"web.http"},
    "markdown_it": {"web.http"},
    "nh3": {"web.http"},
    "openai": {"sampling.llm"},
    "authlib": {"auth.oidc_provider"},
    "jwt": {"auth", "notifications", "servers.sign_in"},
    "standardwebhooks": {"network.webhooks"},
    "prometheus_client": {"web.monitoring"},
    "opentelemetry": {"network.otel_spans"},
}
"""Libraries, and the only folders that may import them."""

SIDE_EFFECTS = {"anyio", "asyncio", "fastapi", "httpx2", "io", "os", "pathlib", "socket", "starlette", "subprocess"}


class Import(NamedTuple):
    """One imported name: `source` is the module as written, `target` the module or package that is loaded by it."""

    importer: str
    source: str
    name: str
    target: str


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(path.read_text("utf-8"))


def dotted(path: Path) -> str:
    """Return the name of the module at `path`."""
    return ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")


MODULES = {dotted(path): path for path in PATHS}


def room(module: str) -> str:
    """Return the room that `module` belongs to."""
    return [*module.split("."), "webclient"][1]


def below(module: str, folder: str) -> bool:
    """Return whether `module` is the folder or in it; both are dotted names."""
    return module == folder or module.startswith(f"{folder}.")


@cache
def imports(module: str) -> tuple[Import, ...]:
    """Return every import in a module, also those in functions and behind TYPE_CHECKING."""
    return tuple(_imports(module))


def _imports(module: str) -> Iterator[Import]:
    for node in ast.walk(tree(MODULES[module])):
        if isinstance(node, ast.Import):
            yield from (Import(module, alias.name, "", alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} has a relative import"
            source = node.module or ""
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield Import(module, source, alias.name, inner if inner in MODULES else source)


def ours() -> list[Import]:
    """Return every import of a module of ours by another."""
    found = (each for module in MODULES for each in imports(module))
    return [each for each in found if each.target in MODULES and each.target != each.importer]


def between_rooms() -> list[Import]:
    """Return every import of something in one room by another room."""
    return [each for each in ours() if room(each.importer) != room(each.target)]


AWAITS_WHAT_IT_STARTS = {
    "calls.service",
    "calls.task_start",
    "protocol.session.negotiation",
    "protocol.session.session",
    "servers.connections.connection",
    "support.background",
    "web.http.security.lines",
    "web.pages.servers.catalog_view",
}
"""The modules whose own tasks end within the function that starts them."""


def test_the_rooms_below_the_cluster_know_of_no_nodes() -> None:
    words = re.compile(r"\bnodes?\b|placement|residents|cluster|MovedError|check_home")
    rooms = ("inbox", "calls", "servers", "protocol", "sampling", "notifications", "auth", "network")
    files = {path: path.read_text("utf-8") for path in PATHS if path.relative_to(HOUSE).parts[0] in rooms}
    assert files
    assert [str(path) for path, text in files.items() if words.search(text)] == []


def test_no_background_task_fails_in_silence() -> None:
    starting = {
        module.removeprefix("webclient.")
        for module in MODULES
        for node in ast.walk(tree(MODULES[module]))
        if isinstance(node, ast.Attribute)
        and node.attr in {"create_task", "ensure_future"}
        and ast.unparse(node.value) == "asyncio"
    }
    assert starting == AWAITS_WHAT_IT_STARTS


def in_circles(graph: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the nodes of `graph` that are part of a circle."""
    left = {node: set(targets) for node, targets in graph.items()}
    found: set[str] = set()
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            circle = error.args[1]
            found |= set(circle)
            # The sorter names each node after one that depends on it.
            left[circle[1]].discard(circle[0])
        else:
            return found


def test_the_package_has_these_rooms_and_no_loose_module() -> None:
    assert {room(module) for module in MODULES} - {"webclient", "__main__"} == {*ROOMS}


def test_rooms_import_from_lower_rooms_only() -> None:
    places = {"__main__": -1} | {name: number for number, name in enumerate(ROOMS)} | {"webclient": len(ROOMS)}
    wrong = {
        (each.importer, each.target)
        for each in between_rooms()
        if places[room(each.importer)] >= places[room(each.target)]
    }
    assert wrong == set()


@pytest.mark.parametrize("name", NARROWER)
def test_pure_folders_and_the_demo_import_little_of_ours(name: str) -> None:
    outside = {
        each.target
        for each in ours()
        if below(each.importer, f"webclient.{name}") and not below(each.target, f"webclient.{name}")
    }
    assert [target for target in outside if not any(below(target, f"webclient.{one}") for one in NARROWER[name])] == []


@pytest.mark.parametrize("name", ["content.forms", "content.links", "content.secrets"])
def test_pure_rules_import_nothing_with_side_effects(name: str) -> None:
    pure = [module for module in MODULES if below(module, f"webclient.{name}")]
    assert pure
    assert {each.target.split(".")[0] for module in pure for each in imports(module)} & SIDE_EFFECTS == set()


@cache
def exported(package: str) -> frozenset[str]:
    """Return `__all__` of a package: the names at its door. A package without it is open, and its modules are doors."""
    for node in tree(MODULES[package]).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return frozenset(ast.literal_eval(node.value))
    return frozenset()


@cache
def closed(module: str) -> str | None:
    """Return the innermost package with a door that `module` is or lies in."""
    parts = module.split(".")
    for length in range(len(parts), 1, -1):
        package = ".".join(parts[:length])
        if MODULES[package].name == "__init__.py" and exported(package):
            return package
    return None


def test_outsiders_import_from_the_door_only() -> None:
    assert {f"{each.importer}: {each.source}.{each.name}" for each in ours() if not may_import(each)} == set()


def may_import(found: Import) -> bool:
    """Return whether the target is open, at a door, or around the importer."""
    if found.source in MODULES and found.name in exported(found.source):
        return True
    package = closed(found.target)
    if package is None or f"{found.source}.{found.name}" == package:
        return True
    around = closed(package.rpartition(".")[0]) or package
    return below(found.importer, around)


def test_no_module_is_part_of_a_circle() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for each in ours():
        # The door is loaded with every module of its package, so it counts for outsiders alone.
        if not below(each.importer, each.target):
            graph[each.importer].add(each.target)
    assert in_circles(graph) == set()


def test_no_folder_is_part_of_a_circle() -> None:
    """Folders of one room, such as pages and HTTP."""
    graph: dict[str, set[str]] = {}
    for each in ours():
        importer, target = (".".join(name.split(".")[1:3]) for name in (each.importer, each.target))
        if importer != target and not below(importer, target):
            graph.setdefault(importer, set()).add(target)
            graph.setdefault(target, set())
    assert in_circles(graph) == set()


def test_circles_are_found_whole() -> None:
    assert in_circles({"a": {"b"}, "b": {"c"}, "c": set()}) == set()
    assert in_circles({"a": {"b"}, "b": {"a"}, "c": {"d", "a"}, "d": {"e"}, "e": {"c"}}) == set("abcde")


@each_row("library", LIBRARIES)
def test_a_library_is_imported_in_its_rooms_only(library: str) -> None:
    users = {module for module in MODULES for each in imports(module) if each.target.split(".")[0] == library}
    assert users, f"{library} is not used at all"
    assert {each for each in users if not any(below(each, f"webclient.{room}") for room in LIBRARIES[library])} == set()


def test_html_is_written_in_templates_only() -> None:
    tag = re.compile(r"</?[a-z][a-z-]*( [^<]*)?>")
    documented = {id(node.value) for path in PATHS for node in ast.walk(tree(path)) if isinstance(node, ast.Expr)}
    written = [
        f"{path.name}: {node.value}"
        for path in PATHS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented
        if tag.search(node.value)
    ]
    assert written == []


def test_declared_libraries_are_the_imported_ones() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    declared = [*project["dependencies"], *chain(*project["optional-dependencies"].values())]
    wanted = {_plain(re.split(r"[\[<>=]", each)[0]) for each in declared}
    names = {each.target.split(".")[0] for module in MODULES for each in imports(module)} - {"webclient"}
    given = [set(map(_plain, found)) for name, found in packages_distributions().items() if name in names]
    used = set(chain(*(each & wanted or each for each in given)))  # those of OpenTelemetry share one name
    # The SDK pins its types to itself; Starlette, zoneinfo and uvicorn import the others by name.
    assert used - {"mcp-types"} == wanted - {"python-multipart", "tzdata", "uvloop"}


def test_only_its_own_module_needs_the_library_of_postgresql() -> None:
    importers = {each.importer for module in MODULES for each in imports(module) if each.target.startswith("psycopg")}
    assert importers == {"webclient.store.database.postgresql"}


def test_only_its_own_module_needs_the_library_of_models() -> None:
    importers = {each.importer for module in MODULES for each in imports(module) if each.target.startswith("openai")}
    assert importers == {"webclient.sampling.llm.openai_model"}


def test_one_module_decodes_jwts() -> None:
    decoding = {
        module
        for module in MODULES
        for node in ast.walk(tree(MODULES[module]))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "jwt.decode"
    }
    assert decoding == {"webclient.auth.jwt"}


def _plain(distribution: str) -> str:
    return distribution.lower().replace("_", "-")


def test_migrations_follow_one_another() -> None:
    paths = sorted((HOUSE / "store" / "migrations" / "versions").glob("[0-9]*.py"))
    found = [re.findall(r"^(?:down_)?revision = (.+)$", path.read_text("utf-8"), re.MULTILINE) for path in paths]
    revisions = [f'"{path.name.partition("_")[0]}"' for path in paths]
    assert found == [[own, earlier] for own, earlier in zip(revisions, ["None", *revisions], strict=False)]


def test_the_command_line_loads_no_large_library() -> None:
    large = {"jsonschema_rs", "mcp", "sqlalchemy", "fastapi", "jinja2", "ada_url", "PIL"}
    code = f"import sys, webclient.runtime.cli; sys.exit(' '.join({large!r} & sys.modules.keys()))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert loaded.stderr.strip() == ""


def test_the_program_is_ready_without_the_sdk() -> None:
    """It takes half a second to load, and is needed for the first connection only."""
    code = "import sys, webclient.runtime.serving; sys.exit(' '.join({'mcp', 'mcp_types'} & sys.modules.keys()))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=False)
    assert loaded.stderr.strip() == ""


@pytest.mark.parametrize("folder", ["webclient", "tests", "bench"])
def test_every_module_has_a_docstring(folder: str) -> None:
    silent = [
        path.relative_to(REPOSITORY).as_posix()
        for path in (REPOSITORY / folder).rglob("*.py")
        if (text := path.read_text("utf-8").strip()) and not re.match(r'(#.*\n)*r?"""', text)
    ]
    assert silent == []


def test_small_modules_become_fewer() -> None:
    """A module of a few lines is mostly half an idea: put it where it is used, and lower the number."""
    lengths = [
        len(path.read_text("utf-8").splitlines())
        for path in PATHS
        if path.name != "__init__.py" and "versions" not in path.parts
    ]
    assert sum(length < SHORTEST_MODULE for length in lengths) == SMALL_MODULES


def test_no_folder_has_too_many_files() -> None:
    sizes = Counter(path.parent for path in PATHS if path.name != "__init__.py" and path.parent.name != "versions")
    assert {folder.name: size for folder, size in sizes.items() if size > LARGEST_FOLDER} == {}


def test_no_module_is_too_long() -> None:
    lengths = {module: len(path.read_text("utf-8").splitlines()) for module, path in MODULES.items()}
    assert {module for module, lines in lengths.items() if lines > LONGEST_MODULE} == TABLES


@pytest.mark.parametrize("folder", ["webclient", "tests", "bench", "examples", "scripts", "clients"])
def test_every_text_file_is_opened_with_its_encoding(folder: str) -> None:
    """Ruff's PLW1514 finds those whose type it knows; the encoding of others would be that of the system."""
    paths = [path for path in (REPOSITORY / folder).rglob("*.py") if "node_modules" not in path.parts]
    assert [f"{path}:{line}" for path in paths for line in _without_encoding(path.read_text("utf-8"))] == []


def _without_encoding(code: str) -> list[int]:
    # Most modules have none of these words, and need not be parsed.
    if not re.search(r"(read|write)_text\(|fdopen\(|text=|universal_newlines=", code):
        return []
    return [node.lineno for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call) and _guesses(node)]


def _guesses(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if "encoding" in given:
        return False
    if isinstance(call.func, ast.Attribute) and name in ("read_text", "write_text"):
        return len(call.args) < ("read_text", "write_text").index(name) + 1
    if name == "fdopen":
        return not any(isinstance(each, ast.Constant) and "b" in str(each.value) for each in call.args[1:])
    return any(isinstance(given.get(each), ast.Constant) and given[each].value is True for each in _TEXT_MODES)  # type: ignore[attr-defined]


_TEXT_MODES = ("text", "universal_newlines")
"""Arguments of `subprocess` that have output decoded."""


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ('path.read_text()\npath.write_text("x")\nos.fdopen(1, "w")\nrun(["x"], text=True)', [1, 2, 3, 4]),
        ('path.read_text("utf-8")\npath.write_text("x", encoding="utf-8")\nos.fdopen(1, "rb")\nread_text(x)', []),
    ],
)
def test_files_without_an_encoding_are_found(code: str, lines: list[int]) -> None:
    assert _without_encoding(code) == lines
