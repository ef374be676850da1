"""Finds the changes of a file: each as the whole changed text, and as the lines that differ."""

from __future__ import annotations

import ast
import difflib
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cosmic_ray import plugins
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code

from tests.mutation.calls import WHOLE, function_at
from tests.mutation.operators import OWN, STANDARD


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed text of the file at `path`."""

    path: Path
    line: int
    operator: str
    original: str = field(repr=False)
    changed: str = field(repr=False)

    @property
    def difference(self) -> str:
        """The lines that differ."""
        lines = difflib.unified_diff(self.original.splitlines(), self.changed.splitlines(), n=0, lineterm="")
        return "\n".join(line for line in list(lines)[2:] if not line.startswith("@@"))


def mutants_of(path: Path, seed: int) -> Iterator[Mutant]:
    """Yield each change of what a file does, in an order by chance."""
    original = path.read_text(encoding="utf-8")
    nodes = list(ast_nodes(get_ast(original)))
    places = [
        (name, operator, *place)
        for name, operator in _operators()
        for place in enumerate(start for node in nodes for start, _end in operator.mutation_positions(node))
    ]
    random.Random(seed).shuffle(places)  # noqa: S311  (which changes are tried first is not a secret)
    seen = {"", _compiled(original)}
    for name, operator, occurrence, (line, _column) in places:
        if name == "NumberReplacer" and function_at(original, line) == WHOLE:
            # No test should notice that a limit is one more or less.
            continue
        changed = mutate_code(original, operator, occurrence)
        # Types in annotations are compared away: they are never evaluated.
        if changed is not None and (after := _compiled(changed)) not in seen:
            seen.add(after)
            yield Mutant(path, line, name, original, changed)


def _operators() -> Iterator[tuple[str, Any]]:
    for name in plugins.operator_names():
        if name.endswith(STANDARD):
            yield name.rpartition("/")[2], plugins.get_operator(name)()
    for name, operator in OWN.items():
        yield name, operator()


def _compiled(text: str) -> str:
    """Return the syntax tree of a text without its annotations; "" for a text that is not Python."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return ""
    return ast.dump(_WithoutTypes().visit(tree))


class _WithoutTypes(ast.NodeTransformer):
    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)
