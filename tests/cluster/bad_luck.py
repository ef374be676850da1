"""Users who answer questions and agents that call while nodes are killed, stopped and frozen; everything is counted.

`python -m tests.cluster.bad_luck --answers 10000` runs it for long.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import signal
import sys
from collections.abc import Sequence
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from sqlalchemy import create_engine
from sqlalchemy import text as sql

from tests.cluster.agents import AgentOfPerson
from tests.cluster.nodes import Cluster, Node, cluster
from tests.cluster.people import TEXT, Person, Tally
from tests.mcp_servers import STATE_KEY, running
from tests.postgresql import PostgreSQL
from webclient.domain.model import now

FROZEN = 12.0
"""Seconds that a node is frozen: longer than the others wait before they take its users over."""

LUCK = (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP, signal.SIGKILL)


async def bad_luck(nodes: Cluster, tally: Tally, dice: random.Random, pause: float) -> None:
    """Kill, stop or freeze one node after the other, and start it again, for ever."""
    while True:
        await asyncio.sleep(dice.uniform(0.5, 1.5) * pause)
        node, number = dice.choice(nodes.nodes), dice.choice(LUCK)
        tally.luck[number.name] += 1
        tally.history.append(f"{now():%T.%f} {number.name} {node.url}")
        if number is signal.SIGSTOP:
            await _freeze(node)
        else:
            await node.end(number)
            await asyncio.sleep(dice.uniform(0, pause))
            tally.history.append(f"{now():%T.%f} start {node.url}")
            await node.start()


async def _freeze(node: Node) -> None:
    node.send(signal.SIGSTOP)
    try:
        await asyncio.sleep(FROZEN)
    finally:
        node.send(signal.SIGCONT)


async def run(
    folder: Path,
    url: str,
    *,
    answers: int,
    people: int,
    agents: int = 0,
    seed: int,
    pause: float = 3,
    minutes: float = inf,
) -> Tally:
    """Answer so many questions on three nodes; return what has happened."""
    tally = Tally(answers, monotonic() + 60 * minutes)
    dice, ledger = random.Random(seed), folder / "ledger"
    ledger.write_text("", "utf-8")
    async with running(arguments=["--state-key", STATE_KEY]) as server:
        servers = {
            label: {"type": "http", "url": server.address, "era": era}
            for label, era in {"push": "2025-11-25", "rounds": "2026-07-28"}.items()
        }
        async with cluster(folder, url, 3, servers) as nodes:
            luck = asyncio.create_task(bad_luck(nodes, tally, dice, pause))
            try:
                async with asyncio.TaskGroup() as group:
                    for number in range(people + agents):
                        kind = Person if number < people else AgentOfPerson
                        person = kind(f"user-{number}", nodes, tally, random.Random(dice.random()), ledger)
                        group.create_task(person.run())
            finally:
                luck.cancel()
                await asyncio.wait([luck])
    tally.compare(ledger)
    for text in tally.twice:
        if _lost(url, text):
            tally.wrong.append(f"{text}: done twice, and the first result was never on its way to its agent")
    if tally.wrong:
        tally.wrong += [*_rows(url, tally.wrong), *tally.history]
    return tally


def _rows(url: str, wrong: Sequence[str]) -> list[str]:
    """Return what the database has of calls that went wrong."""
    texts = sorted({found[0] for each in wrong if (found := TEXT.search(each))})
    query = """SELECT calls.id, calls.state, calls.owner, calls.generation, calls.created_at, calls.updated_at,
        calls.error, calls.agent, requests.id, requests.state, requests.delivery, requests.owner, requests.generation,
        requests.created_at, requests.settled_at, requests.reason_code FROM calls
        LEFT JOIN requests ON requests.call_id = calls.id WHERE calls.arguments->>'text' = :text"""
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as db:
        rows = [f"{text}: {list(map(str, row))}" for text in texts for row in db.execute(sql(query), {"text": text})]
    engine.dispose()
    return rows


def _lost(url: str, text: str) -> bool:
    """Return whether a call that was done again for an agent ended without its result being sent."""
    first = "SELECT agent->>'taken' FROM calls WHERE arguments->>'text' = :text AND state = 'done' ORDER BY created_at"
    engine = create_engine(url.replace("postgresql:", "postgresql+psycopg:"))
    with engine.connect() as db:
        *earlier, _last = db.execute(sql(first), {"text": text}).scalars()
    engine.dispose()
    return any(taken != "true" for taken in earlier)


def main() -> None:
    """Run it, and print what has happened."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=200)
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--pause", type=float, default=3)
    parser.add_argument("--minutes", type=float, default=inf)
    parser.add_argument("--keep", type=Path, help="a folder for the logs of the nodes, which stays")
    chosen = parser.parse_args()
    server = PostgreSQL()
    try:
        with server.database() as name, TemporaryDirectory() as folder:
            options = dict(vars(chosen))
            place = options.pop("keep") or Path(folder)
            tally = asyncio.run(run(place, server.url(name), **options))
    finally:
        server.close()
    again = sum(number - 1 for number in tally.made.values())
    summary = f"seed {chosen.seed}: {dict(tally.ended)} during {dict(tally.luck)}; servers got {tally.at_servers}; "
    summary += f"{tally.pages} pages were opened; "
    summary += f"{len(tally.twice)} results were lost on their way to an agent, which called again; "
    summary += f"agents called {again} times again after an interruption"
    lines = [summary, *tally.wrong]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
