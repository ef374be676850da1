"""One office in a process of its own, and fresh clients and browsers for each test."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

import pytest

from tests.demo.office.browsing import Browsing
from tests.demo.office.calling import ERAS, Caller, calling
from tests.mcp_servers import started
from webclient.demo.office.__main__ import TOKENS_VARIABLE
from webclient.demo.office.oauth import Registration
from webclient.domain.model import Era

TOKENS = {"alice": "the access token of Alice", "bob": "the access token of Bob"}


@dataclass(frozen=True)
class RunningOffice:
    """An office that listens."""

    url: str

    @property
    def origin(self) -> str:
        """Where its pages are."""
        return self.url.removesuffix("/mcp")

    def client_of(self, sub: str, era: Era) -> AbstractAsyncContextManager[Caller]:
        """Connect as `sub`."""
        return calling(self.url, TOKENS[sub], era)


def registration(office: str, drive: str) -> Registration:
    """Return the registration of the office at Demo Drive, by their origins."""
    return Registration(
        issuer=drive,
        authorization_endpoint=f"{drive}/authorize",
        token_endpoint=f"{drive}/token",
        files_endpoint=f"{drive}/files",
        client_id="office",
        client_secret="a secret",
        redirect_uri=f"{office}/callback",
    )


@asynccontextmanager
async def running_office() -> AsyncIterator[RunningOffice]:
    """Run the office, with its third party, while the block runs."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv(TOKENS_VARIABLE, json.dumps(TOKENS))
        async with started([sys.executable, "-m", "webclient.demo.office"], announce="Demo office") as server:
            yield RunningOffice(server.address)


@pytest.fixture(scope="package")
async def office(anyio_backend: str) -> AsyncIterator[RunningOffice]:  # noqa: ARG001
    """The office."""
    async with running_office() as office:
        yield office


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    """Each era."""
    era: Era = request.param
    return era


@pytest.fixture
async def alice(office: RunningOffice, era: Era) -> AsyncIterator[Caller]:
    """Alice's client; her drive is not connected."""
    async with office.client_of("alice", era) as caller:
        await caller.call("disconnect_drive")
        yield caller


@pytest.fixture
async def bob(office: RunningOffice, era: Era) -> AsyncIterator[Caller]:
    """Bob's client; his drive is not connected."""
    async with office.client_of("bob", era) as caller:
        await caller.call("disconnect_drive")
        yield caller


NewBrowser = Callable[[], Browsing]


@pytest.fixture
async def new_browser() -> AsyncIterator[NewBrowser]:
    """Give browsers, each with a profile of its own."""
    opened: list[Browsing] = []

    def new() -> Browsing:
        opened.append(Browsing())
        return opened[-1]

    yield new
    for browser in opened:
        await browser.close()


@pytest.fixture
def browser(new_browser: NewBrowser) -> Browsing:
    """One browser."""
    return new_browser()


@pytest.fixture
async def other_browser(new_browser: NewBrowser) -> Browsing:
    """Another one's."""
    return new_browser()
