"""Talks to the published servers and writes `docs/servers.md`; `python -m tests.real NAME...` only tries those."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.real import listed
from tests.real.table import PAGE, page
from tests.real.talk import SERVERS, outcomes


def main(names: list[str]) -> int:
    """Return 1 if a server did or said something else than it should."""
    everyone = [*SERVERS, *listed.SERVERS]
    chosen = [server for server in everyone if not names or any(name in server.name for name in names)]
    with TemporaryDirectory() as folder:
        found = asyncio.run(outcomes(Path(folder), chosen))
    for each in found:
        print(each.way.label, f"{each.tools} tools, {each.completed} dialogues", *each.wrong, sep="\n    ")  # noqa: T201
    if not names:
        PAGE.write_text(page(found), "utf-8")
    return int(any(each.wrong for each in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
