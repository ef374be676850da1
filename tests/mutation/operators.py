"""The kinds of changes: those of Cosmic Ray that can matter here, and three of our own for rules that are lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from parso.python.tree import Keyword, PythonNode
from parso.tree import NodeOrLeaf

Places = Iterator[tuple[tuple[int, int], tuple[int, int]]]

STANDARD = (
    *("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Is_IsNot", "IsNot_Is"),
    *("Add_Sub", "Sub_Add", "BitAnd_BitOr", "BitOr_BitAnd", "Delete_Not"),
    *("AddNot", "ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("NumberReplacer", "ZeroIterationForLoop", "ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
)
"""The ends of the names of Cosmic Ray's operators; the others turn an operator into every other one."""


class RemoveCall:
    """Replaces a call whose result is not used by `pass`."""

    def mutation_positions(self, node: NodeOrLeaf) -> Places:
        """Yield the place of such a statement."""
        if node.type == "simple_stmt" and node.children[0].type == "atom_expr" and "super()" not in node.get_code():
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> NodeOrLeaf:  # noqa: ARG002
        """Return the statement without the call."""
        first = node.children[0]
        node.children[0] = Keyword("pass", first.start_pos, first.get_first_leaf().prefix)
        return node


class RemoveOperand:
    """Removes one operand of `and`, `or` and `&`."""

    def mutation_positions(self, node: NodeOrLeaf) -> Places:
        """Yield the place of each operand."""
        if node.type in ("and_test", "or_test", "and_expr"):
            for operand in node.children[::2]:
                yield operand.start_pos, operand.end_pos

    def mutate(self, node: Any, index: int) -> NodeOrLeaf:
        """Return the expression without this operand."""
        remaining = [each for at, each in enumerate(node.children) if at not in (2 * index, max(2 * index - 1, 1))]
        # The second line of an expression may begin with its operator, so the place of the first is kept.
        remaining[0].get_first_leaf().prefix = node.children[0].get_first_leaf().prefix
        return PythonNode(node.type, remaining)


class RemoveArgument:
    """Removes one argument of a call that has several: conditions of a statement, codes of a set."""

    def mutation_positions(self, node: NodeOrLeaf) -> Places:
        """Yield the place of each positional argument of `where` and `and_`."""
        if node.type == "arglist" and _called(node) in ("where", "and_", "or_"):
            for argument in node.children[::2]:
                yield argument.start_pos, argument.end_pos

    def mutate(self, node: Any, index: int) -> NodeOrLeaf:
        """Return the arguments without this one."""
        remaining = [each for at, each in enumerate(node.children) if at not in (2 * index, 2 * index + 1)]
        return PythonNode(node.type, remaining)


def _called(arguments: Any) -> str:
    leaf = arguments.parent.get_previous_leaf() if arguments.parent else None
    return str(leaf.value) if leaf else ""


OWN = {"RemoveCall": RemoveCall, "RemoveOperand": RemoveOperand, "RemoveArgument": RemoveArgument}
