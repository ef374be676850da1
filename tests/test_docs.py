"""The documents name only existing files, tests, classes, methods and sections."""

from __future__ import annotations

import ast
import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

from tests.command_line import options_of_commands
from tests.mcp_servers import ROOT
from tests.tables import each_row

DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
RULES = {"tasks.md": "XRH", "sampling.md": "S", "roots.md": "F"}
"""The documents with tables of numbered rules of MCP, and the letters before the numbers."""

OURS = ("webclient", "tests", "templates", "static", "docs", "bench", "scripts", "examples", "deploy", "clients")


@cache
def files() -> frozenset[str]:
    """Return each path of the repository, and each tail of it."""
    paths = [
        path.relative_to(ROOT).parts
        for path in [*ROOT.iterdir(), *(each for folder in OURS for each in (ROOT / folder).rglob("*"))]
    ]
    return frozenset("/".join(parts[start:]) for parts in paths for start in range(len(parts)))


@cache
def source() -> str:
    return "\n".join(
        path.read_text("utf-8") for folder in ("webclient", "tests") for path in (ROOT / folder).rglob("*.py")
    )


@cache
def words() -> frozenset[str]:
    """Return each word of source, scripts and command line, and each token of the styles."""
    scripts = "\n".join(
        path.read_text("utf-8") for name in ("js", "embed") for path in (ROOT / "static" / name).glob("*.js")
    )
    options = {each[2:].replace("-", "_") for found in options_of_commands().values() for each in found}
    styles = (ROOT / "static/css/tokens.css").read_text("utf-8")
    tokens = {each.replace("-", "_") for each in re.findall(r"^  --([\w-]+):", styles, re.MULTILINE)}
    return frozenset(re.findall(r"\w+", source() + scripts)) | options | tokens


@cache
def names_of_tests() -> frozenset[str]:
    """Return the names of all tests, and of all files."""
    files_ = {path.removesuffix(".py") for path in files()}
    return frozenset([*files_, *re.findall(r"def (test_\w+)", source())])


@cache
def names_after(start: str) -> frozenset[str]:
    """Return the names that follow a pattern anywhere in the source."""
    return frozenset(re.findall(rf"{start}(\w+)", source(), re.MULTILINE))


def quoted(document: Path, pattern: str) -> list[str]:
    """Return what stands in the document as code and fits the pattern."""
    prose = re.sub(r"^```.*?^```", "", document.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return [each for each in re.findall(r"`([^`\n]+)`", prose) if re.fullmatch(pattern, each)]


each_document = each_row("document", DOCUMENTS)


@each_document
def test_every_link_leads_somewhere(document: Path) -> None:
    targets = [each for each in re.findall(r"\]\(([^)\s]+)\)", document.read_text("utf-8")) if "://" not in each]
    for target in targets:
        path, _hash, section = target.partition("#")
        found = document.parent / path if path else document
        assert found.exists(), target
        headings = re.findall(r"^#+ (.*)$", found.read_text("utf-8"), re.MULTILINE) if section else []
        assert not section or section in [re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings]


@each_document
def test_every_file_that_is_named_is_there(document: Path) -> None:
    named = quoted(
        document, r"[\w./-]+\.(py|html|js|css|md|toml|txt)|(webclient|tests|templates|static|docs|bench)/[\w/-]*"
    )
    assert [each for each in named if each.rstrip("/") not in files()] == []


@each_document
def test_every_test_that_is_named_is_there(document: Path) -> None:
    named = quoted(document, r"test_\w+(\.\.\.)?")
    gone = [
        each
        for each in named
        if each not in names_of_tests()
        and not any(name.startswith(each.removesuffix("...")) for name in names_of_tests())
    ]
    assert gone == []


@each_document
def test_every_method_that_is_named_is_there(document: Path) -> None:
    for each in quoted(document, r"[A-Z]\w+\.[a-z]\w+(\(.*\))?"):
        owner, _dot, name = each.partition("(")[0].partition(".")
        assert owner in names_after(r"^class "), each
        assert any(name in names_after(start) for start in ("def ", "^    ", r"self\.")), each


@each_document
def test_every_class_and_function_that_is_named_is_there(document: Path) -> None:
    classes = quoted(document, r"[A-Z][a-z]+[A-Z]\w*")
    functions = [each.partition("(")[0] for each in quoted(document, r"[a-z]\w*\([^)]*\)")]
    assert [each for each in [*classes, *functions] if each not in words()] == []


@each_document
def test_every_command_that_is_named_is_there(document: Path) -> None:
    text = document.read_text("utf-8")
    targets = re.findall(r"(?<=`make )[a-z-]+|(?<=^make )[a-z-]+", text, re.MULTILINE)
    assert [
        each for each in targets if not re.search(rf"^{each}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    ] == []
    modules = re.findall(r"(?<=python -m )[\w.]+", text)
    assert [each for each in modules if importlib.util.find_spec(each) is None] == []
    options = [each.split()[0][2:].replace("-", "_") for each in quoted(document, r"--[a-z-]+( .*)?")]
    known = words() | {"help", "install_completion", "show_completion"}
    assert [each for each in options if not {each, f"{each}s", each.removeprefix("no_")} & known] == []


@cache
def docstrings() -> dict[str, str]:
    """Return what each test says of itself, by its name."""
    return {
        each.name: ast.get_docstring(each) or ""
        for path in (ROOT / "tests").rglob("test_*.py")
        for each in ast.parse(path.read_text("utf-8")).body
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    }


@pytest.mark.parametrize(("document", "letter"), [(name, each) for name, letters in RULES.items() for each in letters])
def test_each_rule_is_named_by_the_tests_of_its_row(document: str, letter: str) -> None:
    rows = re.findall(
        rf"^\| {letter}(\d+) .*?\| ([^|]+) \|$", (ROOT / "docs" / document).read_text("utf-8"), re.MULTILINE
    )
    assert [number for number, _tests in rows] == [str(number) for number in range(1, len(rows) + 1)]
    assert len(rows) > 9
    for number, tests in rows:
        named = re.findall(r"`(test_\w+)`", tests)
        silent = [each for each in named if not re.search(rf"\b{letter}{number}\b", docstrings()[each])]
        assert (bool(named), silent) == (True, []), f"{letter}{number}"
