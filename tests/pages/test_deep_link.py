"""A link to one question: it asks for a sign-in first, goes on to the card, and leads to no other site."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

from tests.loopback import tls
from tests.mcp_servers import running
from tests.pages.person import Person, card
from tests.program import PATIENCE, Api, Program, program

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with running() as asker:
        servers = {"push": {"url": asker.address, "era": "2025-11-25"}}
        async with program(tmp_path_factory.mktemp("link"), servers=servers) as served:
            yield served


async def test_a_deep_link_asks_for_a_sign_in_and_then_shows_the_card(
    served: Program, api: Api, person: Person
) -> None:
    call = await api.call("push", "ask_form")
    [request] = await api.pending_requests(call)
    path = f"/requests/{request['id']}"
    own = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    async with httpx2.AsyncClient(base_url=served.base, headers=own, timeout=PATIENCE, verify=tls()) as stranger:
        refused = await stranger.get(path)
        assert refused.status_code == 401
        assert request["params"]["message"] not in refused.text
        link = re.search(r'href="(/login\?next=[^"]+)"', refused.text)
        assert link
        form = (await stranger.get(html.unescape(link[1]))).text
        [wanted] = parse_qs(urlsplit(html.unescape(link[1])).query)["next"]
        assert f'name="next" value="{path}"' in form
        signed_in = await stranger.post("/login", data={"token": served.token, "next": wanted})
        assert f'content="0;url={path}"' in signed_in.text
        assert card((await stranger.get(path)).text, request)
    assert (await person.page(path)).count("<article") == 1
    await api.answer(request, action="decline")


@pytest.mark.parametrize(
    "page", ["https://evil.example/", "//evil.example", "/\\evil.example", "/\t/evil.example", "x:y"]
)
async def test_a_sign_in_leads_to_no_other_site(served: Program, page: str) -> None:
    own = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
    async with httpx2.AsyncClient(base_url=served.base, headers=own, timeout=PATIENCE, verify=tls()) as stranger:
        signed_in = await stranger.post("/login", data={"token": served.token, "next": page})
        assert 'content="0;url=/"' in signed_in.text
        assert "evil" not in signed_in.text
