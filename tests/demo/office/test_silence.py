"""Secrets stay out of logs and addresses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.demo.office.browsing import Browsing
from tests.demo.office.calling import ROUNDS, calling
from tests.mcp_servers import started
from webclient.demo.office.__main__ import TOKENS_VARIABLE

pytestmark = pytest.mark.anyio

TOKEN = "the access token of Alice, which is a secret"
KEY = "sk-a-key-that-is-a-secret-5d21"


async def test_keys_tokens_and_codes_are_neither_logged_nor_in_urls(tmp_path: Path, browser: Browsing) -> None:
    log = tmp_path / "log"
    with log.open("w", encoding="utf-8") as output, pytest.MonkeyPatch.context() as environment:
        environment.setenv(TOKENS_VARIABLE, json.dumps({"alice": TOKEN}))
        command = [sys.executable, "-m", "webclient.demo.office"]
        async with (
            started(command, announce="Demo office", stderr=output) as server,
            calling(server.address, TOKEN, ROUNDS) as alice,
        ):
            await browser.sign_in(await alice.link_of("set_api_key"), "Alice")
            await browser.press("Store the key", key=KEY)
            back = await _connected(browser, await alice.link_of("connect_drive"))
            assert await alice.call("list_drive_files")
    seen = [str(response.url) for response in browser.visited]
    written = log.read_text("utf-8")
    for secret in (TOKEN, KEY, back.partition("code=")[2].partition("&")[0], "code_verifier"):
        assert secret not in written
    for secret in (TOKEN, KEY, "code_verifier", "client_secret"):
        assert not [address for address in seen if secret in address]
    assert "code=" not in browser.url, "what stands in the address bar in the end says nothing"


async def _connected(browser: Browsing, link: str) -> str:
    await browser.open(link)
    await browser.press("Continue to Demo Drive")
    await browser.press("alice@drive.example")
    back = str((await browser.press("Allow", follow=False)).headers["location"])
    await browser.open(back)
    return back
