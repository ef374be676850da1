"""Checks text against the rules of docs/contributing.md; `python -m tests.wording PATH...` lists what breaks them.

Prose is found in docstrings, comments, strings, templates, documents, scripts and style sheets; code in backticks is
left out. Names are checked where they are defined: in Python, in JavaScript, in style sheets, and those of files.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).parents[1]

PROSE = {
    r"anew": "again, or a verb with re-: reconnect, reload",
    r"told": "is notified, sees, knows; tell apart: distinguish",
    r"held": "kept, contained, saved; of a call: checkpoint",
    r"(?:let|lets|letting) in(?! [a-z]+ing\b)": "admit",
    r"(?:turn|turns|turned|turning) away": "refuse",
    r"(?:taken|took|takes|take|taking) back": "withdraw",
    r"whoever": "the noun: the person, the client, the caller",
    r"whatever": "the noun, or any",
    r"(?<!there )(?:is|are|was|were) no(?= (?!longer\b|more\b|less\b|fewer\b|\w*er than\b))": "is not a",
    r"till": "until",
    r"of its own accord": "by itself, unasked",
    r"put to": "asked",
    # One scene of the demo has it in its name.
    r"(?:(?<!A key )nobody|somebody|no-one)": "the noun: no user, another client",
    r"gates?": "admission",
    r"(?:offers|offered)": "catalog for a server's tools; otherwise shows, suggests",
}
"""Words that a newcomer has to translate, as patterns, and what to write instead."""

NAMES = {
    "asked": "request",
    "question": "request",
    "questions": "requests",
    "held": "checkpoint, saved, values",
    "told": "notified, seen",
    "kept": "saved, remaining",
    "anew": "again",
    "gate": "admission",
    "offer": "catalog",
    "offers": "catalog",
    "offered": "catalog",
}
"""Parts of names that say something else in the glossary."""

CONTRACT = {"max_question_bytes", "asked_by"}
"""Names that users write into their environment, or that programs read, and which stay."""

_PROSE = [(re.compile(rf"\b{pattern}\b", re.IGNORECASE), instead) for pattern, instead in PROSE.items()]
_CODE = re.compile(r"```.*?```|`[^`\n]*`|https?://\S+", re.DOTALL)
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

GUIDE = REPOSITORY / "docs" / "contributing.md"
HOUSE = REPOSITORY / "webclient"

_VERB_ROW = re.compile(r"^\| `(\w+)` \|[^|]+\|([^|]*)\|([^|]*)\|$", re.MULTILINE)
_EXEMPT = re.compile(r"\.(?:get|post|put|patch|delete|command)\(")
"""The decorators of routes and commands, whose names people and programs see."""

OF_LIBRARIES = {"shutdown": "uvicorn.Server", "terminate": "anyio.abc.Process"}
"""Methods that replace those of a library's class."""

SUFFIXES = {".py", ".md", ".html", ".js", ".css"}
SCRIPTS = REPOSITORY / "scripts"
"""Its programs have no suffix."""

LONGEST_TEST_NAME = 60
LONGEST_FIRST_LINE = 15
"""Words."""

_NO_SUBJECT = {"What", "Whatever", "Who", "Whoever", "Those", "It", "Its", "They", "That", "Everything", "Nothing"}
"""First words that do not name a subject."""

_NOT_A_VERB = _NO_SUBJECT | {
    *("Which", "Where", "When", "Whether", "How", "Of", "If", "For", "As", "Once", "In", "On", "With"),
    *("The", "A", "An", "All", "Each", "Every", "Any", "Some", "This", "Not"),
}
"""First words of a docstring that is not a command."""

_JS_TEXT = re.compile(
    r"//.*?$|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL | re.MULTILINE
)
_JS_NAME = re.compile(r"\b(?:const|let|var|function|class) +(\w+)|\bdataset\.(\w+)")
_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CSS_NAME = re.compile(r"[.#](-?[A-Za-z][\w-]*)|(--[A-Za-z][\w-]*)|\[(data-[\w-]+)")
_HEADING = re.compile(r"^#+ (\w+).*", re.MULTILINE)
_SHELL_TEXT = re.compile(r"(?<!\S)#.*|\becho\b.*")


class Fault(NamedTuple):
    """A place in a file that breaks a rule, and what to write instead."""

    path: Path
    line: int
    found: str
    instead: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(REPOSITORY)}:{self.line}: {self.found} -> {self.instead}"


def faults(path: Path) -> Iterator[Fault]:
    """Yield every fault in the file at `path`."""
    text = path.read_text("utf-8")
    nodes = list(ast.walk(ast.parse(text))) if path.suffix == ".py" else []
    for first, part in _python_prose(text, nodes) if nodes else _prose(path, text):
        plain = _CODE.sub(lambda code: "\n" * code[0].count("\n"), part)
        for pattern, instead in _PROSE:
            for found in pattern.finditer(plain):
                yield Fault(path, first + plain.count("\n", 0, found.start()), found[0], instead)
    if path.suffix == ".py":
        yield from _faults_of_code(path, nodes)
    elif path.suffix == ".md":
        for heading in _HEADING.finditer(text):
            if heading[1] in _NO_SUBJECT:
                yield Fault(path, _line(text, heading.start()), heading[0], "a heading is a noun")
    for line, name in _names(path, text):
        yield from _faults_of_name(path, line, name)


def _prose(path: Path, text: str) -> Iterator[tuple[int, str]]:
    match path.suffix:
        case ".js":
            # A template literal is text: its backticks do not mark code.
            found = ((_line(text, each.start()), each[0].strip("`")) for each in _JS_TEXT.finditer(text))
            yield from ((line, part) for line, part in found if " " in part)
        case ".css":
            yield from ((_line(text, each.start()), each[0]) for each in _CSS_COMMENT.finditer(text))
        case ".md" | ".html":
            yield 1, _unreleased(text) if path.name == "CHANGELOG.md" else text
        case _:
            yield from ((_line(text, each.start()), each[0]) for each in _SHELL_TEXT.finditer(text))


def _names(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """Yield the names that a file defines, and its own; the names in Python come from its syntax tree."""
    yield 1, path.stem
    if path.suffix == ".js":
        found = _JS_NAME.finditer(_without(_JS_TEXT, text))
    elif path.suffix == ".css":
        found = _CSS_NAME.finditer(_without(_CSS_COMMENT, text))
    else:
        return
    first_lines: dict[str, int] = {}
    for each in found:
        first_lines.setdefault(next(filter(None, each.groups())), _line(text, each.start()))
    yield from ((line, name) for name, line in first_lines.items())


def _without(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda part: re.sub(r"\S", " ", part[0]), text)


def _line(text: str, position: int) -> int:
    return 1 + text.count("\n", 0, position)


def _faults_of_name(path: Path, line: int, name: str) -> Iterator[Fault]:
    for part in _PARTS.findall(name):
        if part.lower() in NAMES:
            yield Fault(path, line, name, NAMES[part.lower()])


def _unreleased(changelog: str) -> str:
    # What was released is history.
    return re.split(r"^## (?!\[?Unreleased)", changelog, maxsplit=1, flags=re.MULTILINE)[0]


def _python_prose(text: str, nodes: Iterable[ast.AST]) -> Iterator[tuple[int, str]]:
    """Yield texts and comments; `tokenize` finds them as well, and takes half of a minute for all files."""
    code = [bytearray(line) for line in text.encode().split(b"\n")]
    literals = [node for node in nodes if isinstance(node, ast.JoinedStr | ast.Constant)]
    # Python 3.11 places the parts of a text with placeholders wrongly.
    parts = {
        part for node in literals if isinstance(node, ast.JoinedStr) for part in ast.walk(node) if part is not node
    }
    for node in literals:
        if node not in parts and (isinstance(node, ast.JoinedStr) or isinstance(node.value, str | bytes)):
            literal = _blanked(code, node)
            # Raw strings are patterns.
            if any(b" " in line.strip() for line in literal.splitlines()) and literal[0] not in b"rR":
                yield node.lineno, literal.decode()
    for number, line in enumerate(code, 1):
        if b"#" in line:
            yield number, line[line.index(b"#") :].decode()


def _blanked(code: Sequence[bytearray], node: ast.Constant | ast.JoinedStr) -> bytes:
    """Return the source of a literal, and put spaces in its place; columns count bytes."""
    last = (node.end_lineno or node.lineno) - 1
    lines = []
    for number in range(node.lineno - 1, last + 1):
        line = code[number]
        start = node.col_offset if number == node.lineno - 1 else 0
        end = node.end_col_offset if number == last else len(line)
        lines.append(bytes(line[start:end]))
        line[start:end] = b" " * len(lines[-1])
    return b"\n".join(lines)


def _faults_of_code(path: Path, nodes: Iterable[ast.AST]) -> Iterator[Fault]:
    for node in nodes:
        for name in set(_defined(node)) - CONTRACT:
            yield from _faults_of_name(path, getattr(node, "lineno", 1), name)
        for line, text in _descriptions(node):
            if text.split()[0] in _NO_SUBJECT:
                yield Fault(path, line, text.split("\n")[0], "a subject first: a noun of the glossary")
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _faults_of_function(path, node)
            if HOUSE in path.parents and "demo" not in path.parts:
                yield from faults_of_verb(path, node)


class Verb(NamedTuple):
    """A verb for one kind of end: the parts of `webclient/` that may use it, and the words that it replaces."""

    name: str
    only_in: tuple[str, ...]
    instead_of: tuple[str, ...]


@cache
def verbs() -> tuple[Verb, ...]:
    """Return the verbs of an end, from the table in docs/contributing.md."""
    section = GUIDE.read_text("utf-8").partition("### Verbs of an end")[2].partition("\n### ")[0]
    rows = _VERB_ROW.findall(section)
    return tuple(Verb(name, *(tuple(re.findall(r"`([\w./]+)`", part)) for part in rest)) for name, *rest in rows)


def faults_of_verb(path: Path, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Fault]:
    """Yield a fault if a function of the program ends something with a verb for another kind of end."""
    if node.name in OF_LIBRARIES or any(_EXEMPT.search(ast.unparse(each)) for each in node.decorator_list):
        return
    part, name = path.relative_to(HOUSE).as_posix(), f"{node.name.strip('_')}_"
    first = (ast.get_docstring(node) or "").partition(" ")[0].lower()
    for verb in verbs():
        for word in verb.instead_of:
            if name.startswith(f"{word}_") or first == word:
                yield Fault(path, node.lineno, f"{node.name} ({word})", f"{verb.name}, or another verb of an end")
        if name.startswith(f"{verb.name}_") and verb.only_in and not part.startswith(verb.only_in):
            yield Fault(path, node.lineno, node.name, f"{verb.name} is for {', '.join(verb.only_in)}")


def _descriptions(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the docstrings of a module or class, and of the constants in it."""
    if isinstance(node, ast.Module | ast.ClassDef):
        for each in node.body:
            match each:
                case ast.Expr(value=ast.Constant(value=str(text))) if text.split():
                    yield each.lineno, text


def _defined(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        # Names of tests are sentences.
        if not node.name.startswith("test_"):
            yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.attr


def _faults_of_function(path: Path, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Fault]:
    if node.name.startswith("test_"):
        if len(node.name) > LONGEST_TEST_NAME:
            yield Fault(path, node.lineno, node.name, f"a name of at most {LONGEST_TEST_NAME} characters")
        words = node.name.replace("_", " ")
        if words.split()[1].capitalize() in _NO_SUBJECT:
            yield Fault(path, node.lineno, node.name, "a subject first: a noun of the glossary")
        for pattern, instead in _PROSE:
            if found := pattern.search(words):
                yield Fault(path, node.lineno, f"{node.name}: {found[0]}", instead)
        return
    docstring = ast.get_docstring(node)
    if not docstring or node.name.startswith("_"):
        return
    first = docstring.split("\n\n", maxsplit=1)[0]
    sentence = re.split(r"(?<=[.;:])\s", first, maxsplit=1)[0]
    if len(sentence.split()) > LONGEST_FIRST_LINE:
        yield Fault(path, node.lineno, sentence, f"a line of at most {LONGEST_FIRST_LINE} words")
    names_a_thing = any(re.search("property|fixture", ast.unparse(each)) for each in node.decorator_list)
    if not names_a_thing and first.split()[0] in _NOT_A_VERB:
        yield Fault(path, node.lineno, first, "an imperative verb first")


def files(root: Path) -> list[Path]:
    """Return the files under `root`, or `root` itself, that the rules are for."""
    left_out = {"vendor", "data", "versions", "wording.py", "test_wording.py"}
    if root.is_file():
        return [] if root.name in left_out else [root]
    found = (path for path in root.rglob("*") if path.suffix in SUFFIXES or (root == SCRIPTS and path.is_file()))
    return sorted(path for path in found if not left_out & set(path.parts) and "__pycache__" not in path.parts)


def main() -> None:
    """List the faults in the files and folders that the command line names."""
    for given in sys.argv[1:]:
        for path in files(REPOSITORY / given):
            for fault in faults(path):
                sys.stdout.write(f"{fault}\n")


if __name__ == "__main__":
    main()
