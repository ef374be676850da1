"""Each caller of a template gives it every name that it reads, on every branch, and no other.

Templates fail on an unknown name (`StrictUndefined`), but only when the branch with it is shown; this reads them all.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import cache
from pathlib import Path

import pytest
from jinja2 import nodes

import webclient
from webclient.inbox import KINDS
from webclient.support.paths import TEMPLATES
from webclient.web import pages
from webclient.web.http.templating import environment

RENDERERS = {
    "render_shared": set(),
    "render": {"http_request"},
    "render_in_steps": {"http_request"},
    "render_text": set(),
    "render_text_in_steps": set(),
}
"""Functions that show a template, and the names that they give by themselves."""

CARDS = ["requests/_outcome.html", "requests/_decided.html", *(kind.template for kind in KINDS)]
"""The attribute in which a card names its template."""


@cache
def parsed(template: str) -> nodes.Template:
    return environment.parse((TEMPLATES / template).read_text("utf-8"))


def missing(node: nodes.Node, known: Set[str]) -> Iterator[str]:
    """Yield the names read in `node` and its includes that are not `known`."""
    known = set(known)
    match node:
        case nodes.Name(ctx="load", name=name) if name not in known:
            yield name
        case nodes.Include(template=template) | nodes.Extends(template=template):
            names = [template.value] if isinstance(template, nodes.Const) else CARDS
            for name in names:
                yield from missing(parsed(name), known)
        case nodes.For() | nodes.With() | nodes.Macro():
            inner = {each.name for each in node.find_all(nodes.Name) if each.ctx in ("store", "param")}
            yield from _missing_in_turn(node, known | inner | {"loop"})
        case _:
            yield from _missing_in_turn(node, known)


def _missing_in_turn(node: nodes.Node, known: set[str]) -> Iterator[str]:
    for child in node.iter_child_nodes():
        yield from missing(child, known)
        known |= _names_set_by(child)


def _names_set_by(node: nodes.Node) -> set[str]:
    match node:
        case nodes.Assign(target=target) | nodes.AssignBlock(target=target):
            return {each.name for each in [target, *target.find_all(nodes.Name)] if isinstance(each, nodes.Name)}
        case nodes.Macro(name=name) | nodes.Import(target=name):
            return {name}
        case nodes.FromImport(names=names):
            return {name if isinstance(name, str) else name[1] for name in names}
        case nodes.If():
            return set().union(*(_names_set_by(each) for each in node.find_all(nodes.Assign)))
    return set()


def shown() -> Iterator[tuple[str, frozenset[str], str]]:
    """Yield each template that a module shows, the names that it is given, and where."""
    for path in Path(webclient.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in RENDERERS:
                constants = [each.value for each in call.args if isinstance(each, ast.Constant)]
                if constants:
                    given = {str(each.arg) for each in call.keywords} - {"status", "headers"}
                    where = f"{path.name}:{call.lineno}"
                    yield str(constants[0]), frozenset(given | RENDERERS[call.func.id]), where


@cache
def all_shown() -> list[tuple[str, frozenset[str], str]]:
    """Return all of them; they are read by the first test that asks, as every worker loads this module."""
    return list(shown())


@pytest.mark.slow
def test_every_template_gets_all_its_variables() -> None:
    known = set(environment.globals)
    lacking = [
        (where, template, set(missing(parsed(template), known | given))) for template, given, where in all_shown()
    ]
    assert len(lacking) > 1
    assert [each for each in lacking if each[2]] == []


@pytest.mark.slow
def test_no_template_is_given_what_it_does_not_name() -> None:
    named = {template: set(missing(parsed(template), set(environment.globals))) for template, _, _ in all_shown()}
    given_too_much = [(where, given - named[template] - {"http_request"}) for template, given, where in all_shown()]
    assert [each for each in given_too_much if each[1]] == []


def test_every_template_is_shown_or_part_of_one_that_is() -> None:
    reached = {template for template, _given, _where in all_shown()} | set(CARDS)
    todo = list(reached)
    while todo:
        new = set(_parts(todo.pop())) - reached
        reached |= new
        todo += new
    ours = {path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.html")}
    assert {name for name in ours - reached if not name.startswith("demo/")} == set()


def test_every_template_compiles_with_our_filters() -> None:
    assert "icon" in environment.filters, f"filters of {pages} are missing"
    for path in TEMPLATES.rglob("*.html"):
        if (name := path.relative_to(TEMPLATES).as_posix()).startswith("demo/"):
            continue
        environment.get_template(name)


def _parts(template: str) -> Iterator[str]:
    kinds = (nodes.Include, nodes.Extends, nodes.FromImport, nodes.Import)
    found = [node for kind in kinds for node in parsed(template).find_all(kind)]
    names = [getattr(node, "template") for node in found]  # noqa: B009  its bases do not say that all have one
    return (str(name.value) for name in names if isinstance(name, nodes.Const))
