"""What is to be said beside what a server answered: a way out that it did not name, or that it broke its own word."""

from __future__ import annotations

from webclient.calls.push_only import way_out
from webclient.forms.display import visible
from webclient.forms.verdict import Path, violations
from webclient.i18n import gettext as _
from webclient.model import Call, CallKind, Json
from webclient.servers.connection import Connection


def note_on_result(connection: Connection, call: Call, result: Json, *, asked: bool) -> Json | None:
    """Return what is to be said beside a result as `{message, ...}`, or None; `asked`: whether its call has asked."""
    version, known = connection.status.protocol_version, connection.server.learned
    way = way_out(version, known, text_of(result), asked=asked, failed=bool(result.get("isError")))
    return way or _misfit(connection, call, result)


def _misfit(connection: Connection, call: Call, result: Json) -> Json | None:
    """Return what is wrong with a structured result by the tool's own `outputSchema`; clients SHOULD check it.

    MCP 2025-11-25, Tools, Output Schema. The result is shown all the same: it is the server that broke its word.
    """
    tool = connection.catalog.tool(call.name) if call.kind is CallKind.TOOL else None
    if not tool or "outputSchema" not in tool or result.get("isError"):
        return None
    found = next(iter(violations(tool["outputSchema"], result.get("structuredContent"))), None)
    if found is None:
        return None
    if not found.path:
        message = _("The structured result does not fit the schema that the server announced for it: {why}")
        return {"message": message.format(why=found.sentence)}
    message = _("The structured result does not fit the schema that the server announced for it, at {field}: {why}")
    return {"message": message.format(field=_place(found.path), why=found.sentence)}


def _place(path: Path) -> str:
    """Return the place of a value as programmers write it: `rooms[2].price`."""
    steps = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return visible(steps.removeprefix("."), 200)


def text_of(result: Json) -> str:
    """Return the text blocks of a result as one text."""
    return " ".join(str(block.get("text", "")) for block in result.get("content", []))
