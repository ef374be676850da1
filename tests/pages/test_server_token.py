"""A server that refuses without a token gets one in the page, which is tried, saved and never shown."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable

import pytest

from tests.mcp_servers import running
from tests.mcp_servers.authorization_server import AuthorizationServer, authorization_server
from tests.mcp_servers.token_proxy import TokenProxy, token_proxy
from tests.pages.person import Person
from tests.program import Api, Program, program
from webclient.domain.model import Json, ReasonCode

pytestmark = pytest.mark.anyio

TOKEN = "the-token-of-the-operator"


@pytest.fixture(scope="module")
async def served(
    anyio_backend: str,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[Program]:
    async with program(tmp_path_factory.mktemp("token"), servers={}) as served:
        yield served


@pytest.fixture
async def keyed() -> AsyncIterator[TokenProxy]:
    """A server that takes a token, and names no authorization server."""
    async with running() as server, token_proxy(server.address) as proxy:
        proxy.challenge = "Bearer"
        proxy.tokens = {TOKEN}
        yield proxy


@pytest.fixture
async def oauth() -> AsyncIterator[AuthorizationServer]:
    """A server that takes a token, also one from the authorization server that it names."""
    async with running() as server, token_proxy(server.address) as proxy, authorization_server(proxy) as oauth:
        proxy.tokens = {TOKEN}
        yield oauth


async def until(api: Api, look: Callable[[Json], object]) -> None:
    """Wait until the only server is so."""
    async with api.stream("GET", "/events", timeout=None) as events:
        lines = events.aiter_lines()
        while not look((await api.json("GET", "/servers"))["servers"][0]):
            await anext(lines)


async def add(person: Person, address: str) -> str:
    """Add the server in the page, and return the path of its page."""
    saved = await person.submit("/servers", url=address, label="it")
    return str(saved.headers["location"]).partition("?")[0]


def wanted(page: str) -> str:
    """Return the notice with the field for a token."""
    found = re.search(r'<div class="notice" id="token-wanted.*?</form>\s*</div>', page, re.DOTALL)
    assert found, page
    return found[0]


async def test_a_new_server_that_refuses_gets_its_token(api: Api, person: Person, keyed: TokenProxy) -> None:
    path = await add(person, keyed.address)
    # The first page has the field, so that it needs no script.
    notice = wanted(await person.page(path))
    assert 'name="token" type="password"' in notice
    assert re.findall(r'action="([^"]+)"', notice) == [f"{path}/token"]
    assert f"{path}/sign-in" not in notice
    saved = await person.submit(f"{path}/token", token=TOKEN)
    await api.server("it")
    page = await person.page(saved.headers["location"])
    assert "token-wanted" not in page
    for shown in (page, await person.page(f"{path}/settings"), await person.page(f"{path}/sign-in")):
        assert TOKEN not in shown
    await person.submit(f"{path}/delete", confirmed="1")


@pytest.mark.parametrize(
    ("token", "sentence"), [("", "Enter the token"), ("wrong", "rejected this token"), ("a\x7fb", "cannot be sent")]
)
async def test_a_wrong_token_is_an_error_at_its_field(
    api: Api, person: Person, keyed: TokenProxy, token: str, sentence: str
) -> None:
    path = await add(person, keyed.address)
    notice = wanted((await person.submit(f"{path}/token", 422, token=token)).text)
    assert sentence in notice
    assert 'aria-invalid="true" autofocus' in notice
    server = await api.json("GET", path)
    assert "headers" not in server["transport"]
    await person.submit(f"{path}/delete", confirmed="1")


async def test_a_token_may_be_pasted_with_its_scheme(api: Api, person: Person, keyed: TokenProxy) -> None:
    path = await add(person, keyed.address)
    await person.submit(f"{path}/token", token=f" bearer {TOKEN} ")
    await api.server("it")
    await person.submit(f"{path}/delete", confirmed="1")


async def test_a_token_that_ended_is_replaced_in_place(api: Api, person: Person, keyed: TokenProxy) -> None:
    path = await add(person, keyed.address)
    await person.submit(f"{path}/token", token=TOKEN)
    await api.server("it")
    keyed.tokens = {"another"}
    await person.submit(f"{path}/disconnect", confirmed="1")
    await person.submit(f"{path}/connect")
    await until(api, lambda server: server["state"] == "error")
    assert f'data-reason="{ReasonCode.HTTP_TOKEN_REJECTED}"' in wanted(await person.page(path))
    await person.submit(f"{path}/token", token="another")
    await api.server("it")
    await person.submit(f"{path}/delete", confirmed="1")


async def test_a_token_takes_the_place_of_a_sign_in(api: Api, person: Person, oauth: AuthorizationServer) -> None:
    path = await add(person, oauth.proxy.address)
    page = await person.page(path)
    assert page.index('href="/sign-ins/') < page.index('name="token"')
    assert "sign-in-" in await person.page("/")
    await person.submit(f"{path}/token", token=TOKEN)
    await api.server("it")
    # Nothing waits for the person any more.
    assert "entry-sign-in-" not in await person.page("/")
    await person.submit(f"{path}/delete", confirmed="1")


async def test_open_work_is_named_before_a_token_ends_it(api: Api, person: Person, oauth: AuthorizationServer) -> None:
    oauth.proxy.free = lambda _verb, message: message.get("method") != "tools/call"
    path = await add(person, oauth.proxy.address)
    await api.server("it")
    await api.call("it", "ask_form")
    await until(api, lambda server: server.get("auth"))
    page = (await person.submit(f"{path}/token", 422, token=TOKEN)).text
    assert 'name="save" value="confirmed"' in page
    await person.submit(f"{path}/token", token=TOKEN, save="confirmed")
    await api.server("it")
    await person.submit(f"{path}/delete", confirmed="1")
