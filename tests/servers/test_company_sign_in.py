"""Users open MCP servers with their own sign-in: a real OpenID provider, two servers, and the program between them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

import anyio
import pytest

from tests.program import PATIENCE, Api, program
from tests.servers.company import CHECK, CLICK, Company, a_company, until, who

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True)
class Office(Company):
    """The company with its program, whose data is in `folder`."""

    folder: Path = Path()


@pytest.fixture(scope="module")
async def company(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Office]:  # noqa: ARG001
    folder = tmp_path_factory.mktemp("company")
    async with a_company(folder) as it:
        options = [*it.options, "--port", it.base.rpartition(":")[2]]
        async with program(folder, servers=it.entries, options=options):
            yield Office(it.base, it.issuer, it.options, it.servers, folder=folder)


async def test_the_sign_in_opens_each_permitted_server(company: Office) -> None:
    await company.say("groups/ada", ["staff", "finance"])
    async with company.person("ada") as ada, company.person("bob") as bob:
        assert await who(ada, "travel") == "ada"
        assert await who(ada, "payroll") == "ada"
        assert await who(bob, "travel") == "bob"
        await until(bob, "payroll", "error", reason="sign_in_company_denied")


async def test_a_denial_leads_to_no_page_of_consent(company: Office) -> None:
    """The server has a consent screen and registration, but no request of the user leads there."""
    async with company.person("gus") as gus:
        server = await until(gus, "payroll", "error", reason="sign_in_company_denied")
        address = f"{company.base}/servers/{server['id']}"
        page = (await gus.get(f"{address}/sign-in", headers=CLICK)).text
        assert 'data-state="signed-out"' in page
        assert f'action="/servers/{server["id"]}/sign-in"' not in page
        for path, body in (("sign-in", None), ("sign-in/register", None), ("connect", None)):
            assert (await gus.post(f"/servers/{server['id']}/{path}", json=body)).status_code in (202, 404, 409)
            server = await until(gus, "payroll", "error", reason="sign_in_company_denied")
            assert not server.get("auth")
        assert (await gus.patch(f"/servers/{server['id']}", json={"oauth": {}})).status_code == 403
        for path in ("sign-in/settings", "token"):
            assert (await gus.post(f"{address}/{path}", data={"token": "mine"}, headers=CLICK)).status_code == 403
        await until(gus, "payroll", "error", reason="sign_in_company_denied")
        assert await company.seen("payroll", "consents") == 0


async def test_a_user_who_leaves_a_group_loses_the_server(company: Office) -> None:
    await company.say("groups/carl", ["staff", "finance"])
    async with company.person("carl") as carl:
        await carl.server("payroll")
        revoked = await company.seen("payroll", "revoked")
        await company.say("groups/carl", ["staff"])
        begun = monotonic()
        server = await until(carl, "payroll", "disconnected", reason="sign_in_company_denied")
        assert monotonic() - begun < 60
        await until(carl, "travel", "connected")
        with anyio.fail_after(PATIENCE):
            while await company.seen("payroll", "revoked") <= revoked:  # noqa: ASYNC110  (in another process)
                await anyio.sleep(0.05)
        # Trying again asks the company again, and no page of the server.
        await carl.json("POST", f"/servers/{server['id']}/connect", 202)
        await until(carl, "payroll", "error", reason="sign_in_company_denied")
        await company.say("groups/carl", ["staff", "finance"])
        await carl.json("POST", f"/servers/{server['id']}/connect", 202)
        await until(carl, "payroll", "connected")


async def test_a_user_disabled_at_the_provider_loses_all_servers(company: Office) -> None:
    await company.say("groups/dora", ["staff", "finance"])
    async with company.person("dora") as dora:
        await dora.server("travel")
        await dora.server("payroll")
        await company.say("groups/dora", None)
        begun = monotonic()
        await until(dora, "travel", "disconnected", reason="sign_in_company_denied")
        await until(dora, "payroll", "disconnected", reason="sign_in_company_denied")
        assert monotonic() - begun < 60


async def test_a_user_disabled_here_loses_all_servers(company: Office) -> None:
    """By an administrator, while an agent of theirs is at work; who is enabled again has to sign in again."""
    await company.say("groups/root", ["staff", "boss"])
    async with company.person("root") as root, company.person("hal") as hal:
        me = (await hal.json("GET", "/me"))["user_id"]
        made = await hal.json("POST", "/tokens", 201, json={"label": "Agent", "scopes": ["read", "answer"]})
        headers = {"Authorization": f"Bearer {made['secret']}"}
        async with Api(base_url=hal.base_url, headers=headers, timeout=PATIENCE) as agent:
            assert await who(hal, "travel") == "hal"
            begun = monotonic()
            await root.json("POST", f"/users/{me}/disable")
            assert (await agent.get("/servers")).status_code == 401
            await _left(root, me)
            assert monotonic() - begun < 60
            await root.json("POST", f"/users/{me}/enable")
            await until(agent, "travel", "error", "disconnected", reason="sign_in_company_again")
            await company.sign_in(hal, "hal")
            await until(agent, "travel", "connected")


async def _left(root: Api, user_id: str) -> None:
    """Wait until no connection of a user is open."""
    with anyio.fail_after(PATIENCE):
        while True:
            [user] = [each for each in (await root.json("GET", "/users"))["users"] if each["id"] == user_id]
            if not user["here"]:
                return
            await anyio.sleep(0.05)


async def test_the_id_token_is_renewed_until_the_provider_ends_it(company: Office) -> None:
    await company.say("seconds", 31)
    try:
        async with company.person("eve") as eve:
            await eve.server("travel")
            await anyio.sleep(3 * CHECK)
            assert await who(eve, "travel") == "eve"
            await company.say("groups/eve", None)
            await until(eve, "travel", "disconnected", reason="sign_in_company_again")
            await company.say("groups/eve", ["staff"])
            await company.say("seconds", 3600)
            # The next sign-in opens it again by itself.
            await company.sign_in(eve, "eve")
            await until(eve, "travel", "connected")
    finally:
        await company.say("seconds", 3600)


async def test_no_id_token_is_readable_in_the_database(company: Office) -> None:
    async with company.person("finn") as finn:
        await finn.server("travel")
    files = list(company.folder.rglob("webclient.sqlite3*"))
    assert files
    assert not any(b"eyJhbGciOi" in file.read_bytes() for file in files)
