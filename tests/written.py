"""Texts that stand in templates, scripts and code without passing through `_()`, and sentences joined from parts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from jinja2 import nodes

from webclient.web.http import environment

TRANSLATES = frozenset({"_", "N_", "gettext", "ngettext", "Plural", "Deferred"})
"""Functions whose arguments are translated."""

SHOWN = frozenset({"title", "aria-label", "aria-description", "aria-roledescription", "placeholder", "alt", "label"})
"""Attributes that a browser shows or speaks."""

_LETTERS = re.compile(r"(?<![\w<])[^\W\d_]{2,}(?![\w=])")
"""A word, which is not an attribute of a tag that a template writes in pieces."""

_MARK = "\x00"
"""Stands for what a template computes."""


class _Texts(HTMLParser):
    """Collects the texts of a page and of its attributes that are shown."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the attributes; remember where code begins."""
        if tag in ("script", "style"):
            self._inside.append(tag)
        self.found += [value for name, value in attrs if name in SHOWN and value]
        if tag == "input" and ("type", "submit") in attrs:
            self.found += [value for name, value in attrs if name == "value" and value]

    def handle_endtag(self, tag: str) -> None:
        """Remember where code ends."""
        if tag in self._inside:
            self._inside.remove(tag)

    def handle_data(self, data: str) -> None:
        """Collect a text."""
        if not self._inside:
            self.found.append(data)


def in_markup(markup: str) -> list[str]:
    """Return each text, or shown attribute, of some HTML."""
    parser = _Texts()
    parser.feed(markup)
    parser.close()
    return [each.strip() for each in parser.found if each.strip()]


def in_template(source: str) -> list[str]:
    """Return the texts that a template contains, in its markup and in its expressions."""
    plain = re.sub(r"{#.*?#}", "", source, flags=re.DOTALL)
    # These blocks of a page stand inside of an address or the name of a class.
    plain = re.sub(r"{% block (stream|shape|address) %}.*?{% endblock %}", "", plain, flags=re.DOTALL)
    plain = re.sub(r"{{.*?}}|{%.*?%}", _MARK, plain, flags=re.DOTALL)
    texts = [each.replace(_MARK, " ").strip() for each in in_markup(plain)]
    return [each for each in texts if _LETTERS.search(each)] + list(_constants(environment.parse(source)))


def _constants(node: nodes.Node) -> Iterator[str]:
    """Yield the texts in expressions that are written to the page and look like words for people."""
    for output in node.find_all(nodes.Output):
        for each in output.nodes:
            yield from (text for text in _written(each) if " " in text.strip() and _LETTERS.search(text))


def _written(node: nodes.Node) -> Iterator[str]:
    match node:
        case nodes.Const(value=str() as text):
            yield text
        case nodes.CondExpr(expr1=first, expr2=second):
            yield from _written(first)
            if second is not None:
                yield from _written(second)
        case nodes.Or(left=first, right=second) | nodes.Add(left=first, right=second):
            yield from _written(first)
            yield from _written(second)
        case nodes.Concat(nodes=parts):
            for part in parts:
                yield from _written(part)


def joined_in_template(source: str) -> list[str]:
    """Return the places of a template where a translated text is joined to something else."""
    found = [*environment.parse(source).find_all((nodes.Concat, nodes.Add, nodes.Mod))]
    return [f"line {each.lineno}" for each in found if any(_is_translated(part) for part in each.iter_child_nodes())]


def _is_translated(node: nodes.Node) -> bool:
    match node:
        case nodes.Call(node=nodes.Name(name=name)):
            return name in TRANSLATES
        case nodes.Call(node=nodes.Getattr(node=inner)) | nodes.Filter(node=nodes.Node() as inner):
            return _is_translated(inner)
        case nodes.CondExpr(expr1=first, expr2=second):
            return _is_translated(first) or (second is not None and _is_translated(second))
    return False


_STRING = re.compile(r"\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'|`([^`]*)`")


def in_script(source: str) -> list[str]:
    """Return the strings of a script that read like words for people: two words, the first with a capital."""
    plain = re.sub(r"^\s*//.*$|(?<=[\s;])//\s.*$", "", source, flags=re.MULTILINE)
    texts = ("".join(groups) for groups in _STRING.findall(plain))
    return [each for each in texts if re.match(r"\W*[A-Z][a-z]+ [a-z]", each)]


_SENTENCE = re.compile(r"[^\W\d_a-z].*\s.*[.?!…:]$|[A-Z][a-z]+( [a-z]+)+$", re.DOTALL)
"""A text with a capital and an end, or words that begin with a capital."""


def in_code(source: str) -> Iterator[str]:
    """Yield the strings of a module that read like sentences and are not translated."""
    tree = ast.parse(source)
    silent = {id(each) for node in ast.walk(tree) for each in _not_for_people(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            if _SENTENCE.match(node.value):
                yield node.value
        elif isinstance(node, ast.JoinedStr) and id(node) not in silent:
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "0" for part in node.values)
            if _SENTENCE.match(text):
                yield text


def _not_for_people(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that no page shows: documentation, logs, translated texts."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        yield node.value
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        if name in TRANSLATES or name.startswith(("logger.", "re.")):
            yield from ast.walk(node)
    if isinstance(node, ast.keyword) and node.arg == "description":
        # OpenAPI speaks English.
        yield from ast.walk(node.value)
    if isinstance(node, ast.Dict):
        named = zip(node.keys, node.values, strict=True)
        yield from (value for key, value in named if isinstance(key, ast.Constant) and key.value == "description")
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        # Errors of the program, which no page shows; ours are subclasses of WebclientError.
        name = ast.unparse(node.exc.func)
        if name in ("ValueError", "TypeError", "RuntimeError", "KeyError", "AssertionError"):
            yield from ast.walk(node)
    if isinstance(node, ast.JoinedStr):
        yield from node.values


def joined_in_code(source: str) -> Iterator[str]:
    """Yield the places of a module where a translated text is joined to something else."""
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.AST] = []
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod):
            parts = [node.left, node.right]
        elif isinstance(node, ast.FormattedValue):
            parts = [node.value]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
            parts = [node.func.value]
        if any(_calls_translation(each) for each in parts):
            yield f"line {getattr(node, 'lineno', 0)}"


def _calls_translation(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func)
        return name in TRANSLATES or (isinstance(node.func, ast.Attribute) and _calls_translation(node.func.value))
    if isinstance(node, ast.IfExp):
        return _calls_translation(node.body) or _calls_translation(node.orelse)
    return isinstance(node, ast.BoolOp) and any(map(_calls_translation, node.values))
