"""Counts the annotations of the tools of published servers, and writes the table of `docs/approvals.md`.

`python -m tests.real.annotations`: each server is started and asked for its tools, none of which is called.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.mcp_servers import ROOT
from tests.program import program
from tests.real import listed
from tests.real.published import Published
from tests.real.started import Reached, started
from tests.real.talk import SERVERS, connected
from webclient.domain.model import Json

PAGE = ROOT / "docs" / "approvals.md"
BEGIN, END = "<!-- made by python -m tests.real.annotations -->\n\n", "\n\n<!-- end of annotations -->"

HINTS = ("readOnlyHint", "destructiveHint", "openWorldHint")
HEAD = (
    "server",
    "tools",
    "without any hint",
    *(f"`{hint}`: {value}" for hint in HINTS for value in ("true", "false")),
)

PROXIES = ("mcp-remote", "supergateway", "mcp-elicitation-proxy")
"""Packages that pass on the tools of another server of the table."""

AT_ONCE = 3
"""Servers that are looked at at the same time."""


def row_of(tools: Sequence[Json]) -> list[int]:
    """Return the numbers of a row: of all tools, of those without any of the hints, and of each value of each hint."""
    given: list[Mapping[str, Any]] = [tool.get("annotations") or {} for tool in tools]
    values = Counter((hint, each.get(hint)) for each in given for hint in HINTS)
    bare = sum(not any(isinstance(each.get(hint), bool) for hint in HINTS) for each in given)
    return [len(tools), bare, *(values[hint, value] for hint in HINTS for value in (True, False))]


def table(rows: Mapping[str, Sequence[int]]) -> str:
    """Return the table, with a sum at its end."""
    total = [sum(column) for column in zip(*rows.values(), strict=True)]
    lines = [HEAD, ["---"] * len(HEAD), *([name, *row] for name, row in sorted(rows.items())), ["**all**", *total]]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


async def tools_of(servers: Sequence[Published], folder: Path) -> dict[str, list[Json]]:
    """Return the tools that each server lists, by its name; in several eras it lists the same."""
    (folder / "servers").mkdir()
    found: dict[str, list[Json]] = {}
    turns = asyncio.Semaphore(AT_ONCE)

    async with started(servers, folder / "servers") as ways:
        entries = {way.label: way.entry for way in ways}
        async with program(folder, servers=entries) as served, served.client() as api:

            async def look(way: Reached) -> None:
                async with turns:
                    try:
                        server = await connected(api, way.label)
                        tools = (await api.json("GET", f"/servers/{server['id']}/tools"))["tools"]
                    except (AssertionError, TimeoutError) as error:
                        print(f"{way.label} is not counted: {error}")  # noqa: T201
                        return
                name = f"{way.server.package} {way.server.version}"
                found[name] = max(found.get(name, []), tools, key=len)

            await asyncio.gather(*map(look, ways))
    return found


def main() -> None:
    """Write the table."""
    everyone = (*SERVERS, *listed.SERVERS)
    published = [server for server in everyone if not server.ours and server.package not in PROXIES]
    with TemporaryDirectory() as folder:
        found = asyncio.run(tools_of(published, Path(folder)))
    before, _begin, rest = PAGE.read_text("utf-8").partition(BEGIN)
    made = table({name: row_of(tools) for name, tools in found.items()})
    PAGE.write_text(before + BEGIN + made + END + rest.partition(END)[2], "utf-8")


if __name__ == "__main__":
    main()
