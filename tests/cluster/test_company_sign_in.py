"""Users of a company's provider on several nodes: the sign-in that one node has saved opens servers on all others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cluster.nodes import Cluster, Node, cluster
from tests.postgresql import PostgreSQL
from tests.program import PATIENCE, Api
from tests.servers.company import OWN, Company, a_company, until, who

pytestmark = pytest.mark.anyio


@pytest.fixture
def url(postgresql: PostgreSQL) -> Iterator[str]:
    """The address of an empty database."""
    with postgresql.database() as name:
        yield postgresql.url(name)


@pytest.fixture
async def office(anyio_backend: str, tmp_path: Path, url: str) -> AsyncIterator[tuple[Company, Cluster]]:  # noqa: ARG001
    """The company, and two nodes."""
    async with (
        a_company(tmp_path) as company,
        cluster(tmp_path, url, 2, company.entries, identity=company.options) as nodes,
    ):
        yield company, nodes


@asynccontextmanager
async def _with_session_of(browser: Api, node: Node) -> AsyncIterator[Api]:
    """Give the API of a node to a browser that has signed in, perhaps at another one."""
    async with Api(base_url=f"{_address(node)}/api/v1", headers=OWN, timeout=PATIENCE) as api:
        api.cookies = browser.cookies
        yield api


def _address(node: Node) -> str:
    """Return where a node is reached under the public name, whose cookies it gets."""
    return node.url.replace("127.0.0.1", "localhost")


def _at(company: Company, node: Node) -> Company:
    """Return the company as it is for a browser that a balancer sends to a node."""
    return replace(company, balanced_to=_address(node))


async def test_a_sign_in_opens_servers_on_the_next_node(office: tuple[Company, Cluster]) -> None:
    company, nodes = office
    first, second = nodes.nodes
    async with _at(company, first).person("ada") as here:
        assert await who(here, "travel") == "ada"
        await first.end()
        async with _with_session_of(here, second) as there:
            assert await who(there, "travel") == "ada"
            await company.say("groups/ada", [])
            await until(there, "travel", "disconnected", reason="sign_in_company_denied")


async def test_a_sign_in_at_one_node_opens_servers_on_another(office: tuple[Company, Cluster]) -> None:
    company, nodes = office
    first, second = nodes.nodes
    await company.say("seconds", 31)
    async with _at(company, first).person("bob") as here:
        await here.server("travel")
        await company.say("groups/bob", None)
        await until(here, "travel", "disconnected", reason="sign_in_company_again")
        await company.say("groups/bob", ["staff"])
        # In another browser, of which the second node does not know yet that it is of the same user.
        async with _at(company, second).person("bob"):
            await until(here, "travel", "connected")
