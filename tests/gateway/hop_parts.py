"""The parts of an answer that belong to one hop, so that they differ on the two sides of the gateway.

Each names its row of the table in `docs/gateway.md`. A comparison of the two sides leaves out these parts alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass

from tests.mcp_servers import ROOT
from webclient.domain.model import Era, Json

_LISTS_AND_READS = frozenset(
    {"tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"}
)
_HANDSHAKES = frozenset({"initialize", "server/discover"})
_LATER = "`resultType`, and in lists and reads `ttlMs` and `cacheScope`"
_TASKS = "io.modelcontextprotocol/tasks"

Path = tuple[str, ...]
"""Keys one in another: `*` is each of a list or an object, `name=X` the entry called so, `but=X,Y` all other keys."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of results of these methods, all if there are none, or of the questions that are asked with them.

    `row` is the first cell of its row.
    `of` is the era of the agents at whose answers it belongs to the hop; `between` says that it does between eras only.
    """

    row: str
    paths: tuple[Path, ...]
    methods: frozenset[str] = frozenset()
    of: Era | None = None
    between: bool = False

    def counts(self, method: str, upstream: Era, downstream: Era) -> bool:
        """Return whether the part belongs to the hop, in this method between these eras."""
        return (
            (not self.methods or method in self.methods)
            and self.of in (None, downstream)
            and not (self.between and upstream is downstream)
        )


PARTS = (
    Part(
        "session, request IDs, cursor of a stream, progress token",
        (("_meta", "progressToken"),),
        frozenset({"elicitation/create", "sampling/createMessage"}),
    ),
    Part("all of the handshake but the two below", (("but=capabilities,instructions",),), _HANDSHAKES),
    Part(
        "`capabilities`",
        (
            ("capabilities", "*", "listChanged"),
            ("capabilities", "tasks"),
            ("capabilities", "extensions", _TASKS),
        ),
        _HANDSHAKES,
    ),
    Part("`await_answer` in the list of tools", (("tools", "name=await_answer"),), frozenset({"tools/list"})),
    Part(
        "`execution.taskSupport` of a tool",
        (("tools", "*", "execution", "taskSupport"),),
        frozenset({"tools/list"}),
        of=Era.PUSH,
    ),
    Part(_LATER, (("ttlMs",), ("cacheScope",)), _LISTS_AND_READS, of=Era.PUSH),
    Part(_LATER, (("ttlMs",), ("cacheScope",)), _LISTS_AND_READS, between=True),
    Part(_LATER, (("resultType",),), between=True),
    Part(
        "`elicitationId` of a link that is passed on",
        (("elicitationId",),),
        frozenset({"elicitation/create"}),
        of=Era.PUSH,
        between=True,
    ),
)


def without_parts(method: str, result: Json, upstream: Era, downstream: Era) -> Json:
    """Return a result, or parameters of a question, without the parts of one hop."""
    left = deepcopy(result)
    for part in PARTS:
        if part.counts(method, upstream, downstream):
            for path in part.paths:
                _remove(left, path)
    return left


def _remove(within: object, path: Path) -> None:
    key, *rest = path
    if isinstance(within, list) and key.startswith("name="):
        within[:] = [each for each in within if each.get("name") != key.removeprefix("name=")]
    elif isinstance(within, dict) and key.startswith("but="):
        for other in within.keys() - key.removeprefix("but=").split(","):
            del within[other]
    elif key == "*":
        for each in _values(within):
            _remove(each, tuple(rest))
    elif isinstance(within, dict) and not rest:
        within.pop(key, None)
    elif isinstance(within, dict) and key in within:
        _remove(within[key], tuple(rest))
        if within[key] == {}:
            del within[key]


def _values(within: object) -> Iterable[object]:
    return within.values() if isinstance(within, Mapping) else within if isinstance(within, list) else ()


def rows() -> list[str]:
    """Return the first cells of the table in the docs."""
    text = (ROOT / "docs/gateway.md").read_text("utf-8")
    table = text.partition("| part | on the other side |\n")[2].partition("\n\n")[0]
    return [line.split(" | ")[0].removeprefix("| ") for line in table.splitlines()[1:]]
