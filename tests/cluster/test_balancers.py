"""Two processes behind nginx, Caddy and HAProxy, with the files of deploy/: one ends, and no user notices."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from tests.cluster.nodes import cluster, sent_by
from tests.deploy.front import Front, caddy, free_port, haproxy, nginx
from tests.deploy.packages import unpacked
from tests.mcp_servers import STATE_KEY, asker_entries
from tests.postgresql import PostgreSQL
from tests.program import PATIENCE, Api

pytestmark = pytest.mark.anyio

FRONTS = {"nginx": (nginx, "/inbox"), "caddy": (caddy, "/inbox"), "haproxy": (haproxy, "")}


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of an empty database."""
    with postgresql.database() as name:
        yield postgresql.url(name)


def _api(front: Front, path: str) -> Api:
    return Api(base_url=f"{front.origin}{path}/api/v1", headers=sent_by("ada"), timeout=PATIENCE, verify=front.tls)


async def _until_it_works(api: Api, method: str, path: str, **options: object) -> httpx2.Response:
    """Send a request again while its user is moving; nothing but that may be wrong."""
    while True:
        response = await api.request(method, path, **options)  # type: ignore[arg-type]  # options of httpx2
        if response.status_code not in (502, 503):
            assert response.status_code == 200, response.text
            return response
        await asyncio.sleep(0.2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("name", FRONTS)
async def test_one_of_two_processes_ends_behind_a_balancer(
    tmp_path: Path, url: str, name: str, number: signal.Signals
) -> None:
    if not unpacked(name):
        pytest.skip(f"{name} cannot be had here")
    run, path = FRONTS[name]
    public = ["--public-url", f"https://localhost{path}"]
    async with cluster(tmp_path, url, 2, asker_entries("--state-key", STATE_KEY), *public) as nodes:
        upstream = " ".join(node.url.removeprefix("http://") for node in nodes.nodes)
        async with run(tmp_path, free_port(), upstream) as front, _api(front, path) as api:
            call = await api.call("rounds", "ask_form")
            [request] = await api.pending_requests(call)
            # Whichever it is that Ada lives on.
            await nodes.nodes[0].end(number)
            answer = {"action": "accept", "content": {"name": "Ada"}}
            await _until_it_works(api, "POST", f"/requests/{request['id']}/answer", json=answer)
            state = "input_required"
            while state in ("input_required", "running"):
                seen = await _until_it_works(api, "GET", f"/calls/{call['id']}", params={"wait": 5})
                state = seen.json()["state"]
            assert state == "done"
