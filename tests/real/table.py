"""Makes `docs/servers.md` of what came of the dialogues; the same each time, as long as the servers are the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.mcp_servers import ROOT
from tests.real import listed
from tests.real.published import Published
from tests.real.talk import SERVERS, Outcome

PAGE = ROOT / "docs/servers.md"

_HEAD = """\
# Published servers

`make servers` talks to these MCP servers and writes this page; `make test-all` fails when the first table says anything
else. Each is installed as its users install it, in the version named here, and started by mcp-webclient or, over HTTP,
beside it. The dialogues go through the [API](../README.md#use-it-from-another-program): a tool is run, the questions
are accepted, declined and cancelled, and what the server says that it got is compared with what was sent. No server can
reach a network: what needs one fails after the answer, which is part of the dialogue.

| server | SDK | transports and eras | what it asks | verdict |
| --- | --- | --- | --- | --- |
"""

MORE = """
## More kinds of servers

`make servers` alone connects these too, with programs of its own (`build/servers-*`). Most ask nothing: their tools are
listed, and some are run. What needs a browser, an account or a database that is not there is not run.

| server | SDK | transports and eras | tools | what it asks | verdict |
| --- | --- | --- | --- | --- | --- |
"""

_TAIL = """
`tests/real/` has the dialogues. To add a server, add its version in `tests/real/packages/`, and beside the others of
its SDK its command, what is said to it and what it should say.
"""

_LONGEST = 6
"""How many fields of a form the table names."""


def first_table(outcomes: Sequence[Outcome]) -> str:
    """Return the page up to the servers that `make servers` alone connects."""
    return _HEAD + _rows(SERVERS, outcomes)


def page(outcomes: Sequence[Outcome]) -> str:
    """Return the page that these dialogues make."""
    return first_table(outcomes) + MORE + _rows(listed.SERVERS, outcomes, tools=True) + _TAIL


def _rows(servers: Sequence[Published], outcomes: Sequence[Outcome], *, tools: bool = False) -> str:
    rows = [_row(server, [each for each in outcomes if each.way.server is server], tools=tools) for server in servers]
    return "\n".join(rows) + "\n"


def _row(server: Published, outcomes: Sequence[Outcome], *, tools: bool) -> str:
    package = f"`{server.package}` {server.version}"
    name = package if server.name == server.package else f"{server.name}, {package}"
    ways = _unique(f"{each.way.transport} {each.way.era}" for each in outcomes)
    requests = _unique(request for each in outcomes for request in each.requests)
    count = [str(max((each.tools for each in outcomes), default=0))] if tools else []
    wanted = "<br>".join(map(_short, requests))
    cells = [name, server.sdk, "<br>".join(ways), *count, wanted, _verdict(server, outcomes)]
    return f"| {' | '.join(cells)} |"


def _verdict(server: Published, outcomes: Sequence[Outcome]) -> str:
    wrong = sum(len(each.wrong) for each in outcomes)
    completed = sum(each.completed for each in outcomes)
    dialogues = f"{completed} dialogue" if completed == 1 else f"{completed} dialogues"
    if not completed and not wrong:
        return f"Connected and listed. {server.remark}".rstrip()
    verdict = f"{wrong} of {dialogues} failed" if wrong else f"{dialogues}, as sent"
    return f"{verdict}. {server.remark}".rstrip(" .") + "."


def _short(request: str) -> str:
    fields = request.split(", ")
    return request if len(fields) <= _LONGEST else ", ".join(fields[:_LONGEST]) + f" and {len(fields) - _LONGEST} more"


def _unique(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(texts))
