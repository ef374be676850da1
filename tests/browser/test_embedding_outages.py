"""An inbox that is started late, restarted, stopped for long or does not want the page: what the element says and does.

The app serves the element itself, as a host does that has it from npm.
"""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import anyio
import pytest
from playwright.async_api import Browser, Locator, Page, Request, expect

from tests.browser.chat_app import chat_app
from tests.browser.embedding import (
    BASE_PATH,
    SCOPES,
    Embedded,
    embedding,
    events,
    frame_of,
    heard,
    press,
    press_until_taken,
)
from tests.deploy.front import free_port
from tests.embedders.minting import ISSUER, SECRET
from tests.mcp_servers import ROOT, entry
from tests.program import PATIENCE, Program, program

pytestmark = pytest.mark.anyio

MODULE = "/mcp-inbox.js"
SECOND = 1000
MINUTE = 60 * SECOND
STEP = 4 * SECOND
"""By how much the clock is moved on at once: less than any request may take."""

TOKEN = "a token that stays the same"
DOCS = (ROOT / "docs" / "embedding.md").read_text("utf-8")


@dataclass
class Outage(Embedded):
    """A chat app whose inbox can be started and stopped, always at the same address."""

    running: AsyncExitStack | None = None

    def list_app(self, name: str = "chat", *, origins: list[str] | None = None) -> None:
        """Write the embedders file."""
        chat = {"name": "Team chat", "issuer": ISSUER, "secret_env": "CHAT_SECRET", "may": SCOPES}
        entries = {name: chat | {"origins": origins or [self.app.origin]}}
        (self.folder / "embedders.json").write_text(json.dumps(entries), "utf-8")

    async def start(self, era: str = "2026-07-28") -> None:
        """Start the program, with a server that speaks this version of MCP."""
        address = self.app.base.removesuffix(BASE_PATH)
        options = ["--embedders", str(self.folder / "embedders.json"), "--public-url", self.app.base]
        options += ["--token", TOKEN, "--port", address.rpartition(":")[2]]
        self.running = AsyncExitStack()
        servers = {"asker": entry("asker", era=era)}
        self.served = await self.running.enter_async_context(program(self.folder, servers=servers, options=options))

    async def stop(self) -> None:
        """Stop the program, if it runs."""
        for api in self.users.values():
            await api.aclose()
        self.users.clear()
        if self.running:
            await self.running.aclose()
        self.running = None


@pytest.fixture
async def outage(anyio_backend: str, tmp_path: Path) -> AsyncIterator[Outage]:  # noqa: ARG001
    async with chat_app() as app:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("CHAT_SECRET", SECRET)
            app.base = f"http://127.0.0.1:{free_port()}{BASE_PATH}"
            outage = Outage(app, Program("", 0), folder=tmp_path)
            outage.list_app()
            yield outage
            await outage.stop()


def _under_way(page: Page) -> set[Request]:
    """Return the requests of a page that are not answered, but for event streams; it changes with them."""
    under_way: set[Request] = set()

    def begin(sent: Request) -> None:
        if "/stream" not in sent.url:
            under_way.add(sent)

    def end(sent: Request) -> None:
        under_way.discard(sent)

    page.on("request", begin)
    page.on("requestfinished", end)
    page.on("requestfailed", end)
    return under_way


@asynccontextmanager
async def at_the_chat(chromium: Browser, outage: Outage, **parameters: str) -> AsyncIterator[Page]:
    """Open the chat in a browser whose clock can be moved."""
    context = await chromium.new_context(viewport={"width": 900, "height": 700}, locale="en")
    page = await context.new_page()
    await page.clock.install()
    page.under_way = _under_way(page)  # type: ignore[attr-defined]
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    said: list[str] = []
    page.console_errors = said  # type: ignore[attr-defined]
    # A frame that hangs keeps the page from being loaded.
    await page.goto(outage.app.url(**{"module": MODULE} | parameters), wait_until="domcontentloaded")
    yield page
    await context.close()


def causes(page: Page) -> list[str]:
    """Return what the element has said for developers."""
    return [each for each in page.console_errors if each.startswith("<mcp-inbox>")]  # type: ignore[attr-defined]


async def state(page: Page, expected: str) -> None:
    """Wait until the element is in this state."""
    await page.wait_for_function("(expected) => inbox.state === expected", arg=expected)


async def until_state(page: Page, expected: str, *, within: int = 5 * MINUTE) -> None:
    """Move the clock of the browser on until the element is in this state."""
    for _ in range(within // STEP):
        await page.clock.run_for(STEP)
        await all_arrived(page)
        if await page.evaluate("(expected) => inbox.state === expected", expected):
            return
    await state(page, expected)


async def all_arrived(page: Page) -> None:
    """Wait until nothing is on its way to the page and its frame; what comes may ask for more.

    Requests take real time, on a busy machine more than ten seconds of a clock that is moved on.
    """
    quiet = 0
    # One that hangs is not waited for to its end.
    for _ in range(50):
        await page.evaluate("fetch('/').then(() => 0)")
        quiet = 0 if page.under_way else quiet + 1  # type: ignore[attr-defined]
        if quiet == 3:
            return


def line_of(page: Page) -> Locator:
    return page.locator("mcp-inbox [part=state]")


async def test_an_inbox_that_starts_late_is_found(chromium: Browser, outage: Outage) -> None:
    async with at_the_chat(chromium, outage) as page:
        assert await page.evaluate("inbox.state") in ("loading", "unreachable")
        await until_state(page, "unreachable")
        await heard(page, "error", code="unreachable")
        assert [each["state"] for each in await events(page, "state")] == ["loading", "unreachable"]
        assert await events(page, "ready") == []
        [cause] = causes(page)
        assert "cannot be reached" in cause
        line = line_of(page)
        await expect(line.get_by_role("button")).to_be_visible()
        await expect(page.locator("mcp-inbox iframe")).to_be_hidden()
        await page.clock.run_for(MINUTE)
        # It goes on trying, and says so once.
        await state(page, "unreachable")
        assert len(await events(page, "error")) == 1
        await outage.start()
        request = await outage.ask("ada", "Which colour?")
        await until_state(page, "ready")
        await heard(page, "pending", count=1)
        await expect(line).to_be_hidden()
        await press(frame_of(page).locator(f"#request-{request['id']} button[value=decline]"))
        await heard(page, "settled", id=request["id"], action="decline")


async def test_an_inbox_that_hangs_is_named_in_ten_seconds(chromium: Browser, outage: Outage) -> None:
    port = int(outage.app.base.removesuffix(BASE_PATH).rpartition(":")[2])
    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1", local_port=port) as silent,
        at_the_chat(chromium, outage) as page,
    ):
        await page.clock.run_for(10 * SECOND)
        # To ask for the cause does not take another ten, which are real.
        await page.wait_for_function("inbox.state === 'unreachable'", timeout=8 * SECOND)
        await heard(page, "error", code="unreachable")
        await silent.aclose()
        await outage.start()
        await until_state(page, "ready")


async def test_the_person_tries_again_without_waiting(chromium: Browser, outage: Outage) -> None:
    async with at_the_chat(chromium, outage, more='locale="zh-Hans" display="badge"') as page:
        await until_state(page, "unreachable")
        badge = page.get_by_role("button", name="Questions")
        await expect(badge).to_have_text("Questions!")
        await badge.click()
        again = page.locator("mcp-inbox").get_by_role("dialog").get_by_role("button", name="重试")
        await expect(again).to_be_focused()
        await again.click()
        await expect(again).to_be_visible()  # for the second time: nothing is there yet
        await outage.start()
        await again.click()
        await state(page, "ready")
        await expect(badge).to_have_text("Questions")
        await expect(frame_of(page).locator(".framed__empty")).to_be_visible()


async def test_a_restart_is_shown_and_keeps_typed_text(chromium: Browser, outage: Outage) -> None:
    await outage.start()
    async with at_the_chat(chromium, outage) as page:
        await state(page, "ready")
        request = await outage.ask("ada", "Which colour?")
        name = frame_of(page).get_by_label("Name")
        await name.fill("Ada")
        card = frame_of(page).locator(f"#request-{request['id']}")
        await expect(card.locator(".draft")).not_to_be_empty()
        places = [await name.bounding_box(), await page.locator("mcp-inbox").bounding_box()]
        await outage.stop()
        await until_state(page, "unreachable")
        await heard(page, "error", code="unreachable")
        # The frame is still there, and says itself what is wrong.
        await expect(line_of(page)).to_be_hidden()
        await expect(frame_of(page).locator("#stream-state")).to_be_in_viewport()
        await expect(name).to_have_value("Ada")
        # What a person is about to press stays at its place.
        assert [await name.bounding_box(), await page.locator("mcp-inbox").bounding_box()] == places
        await outage.start()
        await until_state(page, "ready")
        await expect(frame_of(page).locator("#stream-state")).to_be_empty()
        await expect(name).to_have_value("Ada")
        await press_until_taken(card, lambda: press(card.locator("button[value=accept]")))
        await heard(page, "settled", id=request["id"], action="accept")


SAYS_NONE = """() => {
  const empty = document.querySelector(".framed__empty")
  const look = () => { window.saysNone ||= empty.checkVisibility(); requestAnimationFrame(look) }
  look()
}"""
"""Notes whether the frame has said at any moment that no question waits."""


async def test_interrupted_questions_are_never_hidden(chromium: Browser, outage: Outage) -> None:
    await outage.start("2025-11-25")
    async with at_the_chat(chromium, outage) as page:
        await state(page, "ready")
        request = await outage.ask("ada", "Which colour?")
        await frame_of(page).get_by_label("Name").fill("Ada")
        inner = page.frames[1]
        await inner.evaluate(SAYS_NONE)
        await outage.stop()
        await until_state(page, "unreachable")
        await outage.start("2025-11-25")
        await until_state(page, "ready")
        await heard(page, "settled", id=request["id"], action="interrupted")
        await expect(frame_of(page).locator(f"#outcome-{request['id']}")).to_contain_text("Ada")
        assert not await inner.evaluate("window.saysNone")


async def test_an_hour_without_the_inbox_heals(chromium: Browser, outage: Outage) -> None:
    await outage.start()
    async with at_the_chat(chromium, outage) as page:
        await state(page, "ready")
        request = await outage.ask("ada", "Which colour?")
        await frame_of(page).get_by_label("Name").fill("Ada")
        await outage.stop()
        await page.clock.fast_forward(60 * MINUTE)
        await until_state(page, "unreachable")
        # The session of the frame has ended meanwhile, by its time.
        outage.expire("ada")
        await outage.start()
        await until_state(page, "ready")
        await expect(frame_of(page).get_by_label("Name")).to_have_value("Ada")
        card = frame_of(page).locator(f"#request-{request['id']}")
        await expect(card).to_have_attribute("data-armed", "")
        # By a key: the line above it is gone, and Chromium drops clicks into a frame that has just got another size.
        await press_until_taken(card, lambda: card.locator("button[value=accept]").press("Enter"))
        await heard(page, "settled", id=request["id"], action="accept")


async def test_a_refused_page_says_so_until_it_is_listed(chromium: Browser, outage: Outage) -> None:
    outage.list_app(origins=["http://localhost:1"])
    await outage.start()
    async with at_the_chat(chromium, outage) as page:
        await state(page, "refused")
        await heard(page, "error", code="refused")
        [cause] = causes(page)
        assert outage.app.origin in cause
        await expect(line_of(page).get_by_role("button")).to_be_visible()
        outage.list_app()
        os.kill(outage.served.pid, signal.SIGHUP)
        await until_state(page, "ready")


async def test_an_unknown_name_is_refused(chromium: Browser, outage: Outage) -> None:
    outage.list_app("desk")
    await outage.start()
    async with at_the_chat(chromium, outage) as page:
        await state(page, "refused")
        assert "name" in causes(page)[0]


@pytest.mark.parametrize(("policy", "code"), [("frame-src 'none'", "refused"), ("connect-src 'self'", "")])
async def test_the_policy_of_the_page_is_named(chromium: Browser, outage: Outage, policy: str, code: str) -> None:
    await outage.start()
    meta = f'</style><meta http-equiv="Content-Security-Policy" content="{policy}"><style>'
    async with at_the_chat(chromium, outage, style=meta) as page:
        await state(page, code or "ready")
        assert [each["code"] for each in await events(page, "error")] == [code] * bool(code)
        assert ["frame-src" in each for each in causes(page)] == [True] * bool(code)


async def test_an_address_that_is_none_is_refused(chromium: Browser, outage: Outage) -> None:
    async with at_the_chat(chromium, outage) as page:
        await page.evaluate("inbox.setAttribute('src', 'nonsense')")
        await heard(page, "error", code="src")
        await state(page, "refused")


async def test_a_module_that_does_not_load_is_loaded_later(chromium: Browser, outage: Outage) -> None:
    [line] = [each for each in DOCS.splitlines() if each.startswith("const load = ")]
    assert "load()" in DOCS
    script = f"<script type=module>{line.replace('https://INBOX', outage.app.base)}; load()</script>"
    async with at_the_chat(chromium, outage, module="data:text/javascript,", script=script) as page:
        await page.clock.run_for(10 * SECOND)
        assert await page.evaluate("customElements.get('mcp-inbox') === undefined")
        await outage.start()
        await until_state(page, "ready")


@pytest.mark.parametrize("last", ["call", "retry"])
async def test_a_call_starts_a_server_that_did_not_start(anyio_backend: str, tmp_path: Path, last: str) -> None:  # noqa: ARG001
    mended = tmp_path / "mended"
    works = entry("asker")
    started = f'test -e "{mended}" && exec "$0" "$@"'
    broken = works | {"command": "sh", "args": ["-c", started, works["command"], *works["args"]]}
    async with embedding(tmp_path, asker=broken) as embedded:
        api = await embedded.user("una")
        body = {"server_id": "asker", "kind": "tool", "name": "ask_form", "arguments": {"message": "Which colour?"}}
        # As often as someone calls: a person in a frame has no page that says "Try again".
        for _ in range(2):
            with anyio.fail_after(PATIENCE):
                while (await api.json("GET", "/servers"))["servers"][0]["state"] != "error":  # noqa: ASYNC110
                    await anyio.sleep(0.05)
            call = await api.json("POST", "/calls", 202, json=body)
            ended = await api.json("GET", f"/calls/{call['id']}", params={"wait": 30})
            assert (ended["state"], ended["error"]["reason_code"]) == ("failed", "not_connected")
        mended.touch()
        if last == "call":
            call = await api.json("POST", "/calls", 202, json=body)
        else:
            call = await api.json("POST", f"/calls/{call['id']}/retry", 202)
        assert await api.pending_requests(call)
