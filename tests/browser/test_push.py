"""Notifications in a real browser: opting in, its service worker, a click that opens the card, and visible pages.

Chromium's own push service is out of reach, so a browser of the push service of the tests subscribes in its place. The
messages that it decrypts are handed to Chromium's service worker over the protocol of its developer tools.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, CDPSession, Page, Playwright, Worker, expect

from tests.browser.person import Person
from tests.chromium import launched
from tests.mcp_servers import running
from tests.program import PATIENCE, Api, Program, program
from tests.push_service import PushService, push_service
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SUBSCRIBE = """
PushManager.prototype.getSubscription = async () => null
PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
  const { endpoint, keys } = await subscribeElsewhere(applicationServerKey)
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))
  return { endpoint, getKey: (name) => bytes(keys[name]).buffer }
}
"""
CLICK = """async () => {
  const opened = []
  Clients.prototype.openWindow = async (address) => opened.push(address)
  const [notification] = await registration.getNotifications()
  const event = new NotificationEvent("notificationclick", { notification })
  const work = []
  event.waitUntil = (promise) => work.push(promise)
  dispatchEvent(event)
  await Promise.all(work)
  return opened
}"""
ACTIVE = """async () => {
  const { active } = await navigator.serviceWorker.ready
  while (active.state !== "activated")
    await new Promise((resolve) => { active.addEventListener("statechange", resolve, { once: true }) })
}"""
SHOWN = """async () => (await registration.getNotifications()).map(({ title, body }) => ({ title, body }))"""


@pytest.fixture(scope="module")
async def chromium(playwright: Playwright) -> AsyncIterator[Browser]:
    """Chromium itself: its headless shell shows no notifications."""
    async with launched(playwright, headless_shell=False) as browser:
        yield browser


@pytest.fixture(scope="module")
async def service(anyio_backend: str) -> AsyncIterator[PushService]:  # noqa: ARG001
    async with push_service() as service:
        yield service


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_PUSH_SERVICES", "127.0.0.1")
        environment.setenv("WEBCLIENT_WEBHOOK_NETWORKS", "127.0.0.0/8")
        async with running() as asker:
            servers = {"asker": {"url": asker.address, "era": "2025-11-25"}}
            async with program(tmp_path_factory.mktemp("push"), servers=servers) as served:
                yield served


class Push:
    """The service worker of Chromium, and the way to hand it a push message."""

    def __init__(self, context: BrowserContext, session: CDPSession, origin: str) -> None:
        self._context = context
        self._session = session
        self._origin = origin
        self._registrations: list[str] = []
        session.on("ServiceWorker.workerRegistrationUpdated", self._registered)

    def _registered(self, event: Json) -> None:
        self._registrations += [each["registrationId"] for each in event["registrations"] if not each["isDeleted"]]

    @property
    def worker(self) -> Worker:
        """The service worker."""
        return self._context.service_workers[0]

    async def deliver(self, text: str) -> Any:
        """Deliver a message, and return the notifications that are shown then."""
        delivered = {"origin": self._origin, "registrationId": self._registrations[-1], "data": text}
        await self._session.send("ServiceWorker.deliverPushMessage", delivered)
        title = json.loads(text)["title"]
        async with asyncio.timeout(PATIENCE):
            while True:
                shown = await self.worker.evaluate(SHOWN)
                if [each["title"] for each in shown] == [title]:
                    return shown


async def opted_in(page: Page, context: BrowserContext, served: Program, service: PushService) -> Push:
    """Press the button of the settings as a person who allows notifications does."""
    await context.grant_permissions(["notifications"], origin=served.base)

    async def subscribe(key: str) -> Json:
        return await service.subscribe(key)

    await page.expose_function("subscribeElsewhere", subscribe)
    await page.add_init_script(SUBSCRIBE)
    session = await context.new_cdp_session(page)
    push = Push(context, session, f"{served.base}/")
    await session.send("ServiceWorker.enable")
    await page.goto(f"{served.base}/notifications")
    assert context.service_workers == []
    await page.get_by_role("button", name="Notify this browser").click()
    await expect(page.locator("[id^=target-]")).to_have_count(1)
    # Chromium drops a message for a worker that is still starting.
    await page.evaluate(ACTIVE)
    return push


async def test_a_push_shows_a_notification_and_a_click_opens_the_card(
    person: Person, context: BrowserContext, served: Program, service: PushService, api: Api
) -> None:
    page = person.page
    push = await opted_in(page, context, served, service)
    await page.get_by_role("button", name="Send a test").click()
    message = await service.message()
    await push.deliver(message["text"])

    await page.get_by_label("Seconds that a question waits").fill("1")
    async with page.expect_navigation():
        await page.get_by_role("button", name="Save times").click()

    # A visible page is enough.
    async with page.expect_request("**/visible") as said:
        [request] = await api.pending_requests(await api.call("asker", "ask_form"))
    response = await (await said.value).response()
    assert response
    assert response.status == 204
    await api.answer(request, action="decline")

    # Without one, the question makes a notification.
    await page.goto("about:blank")
    [request] = await api.pending_requests(await api.call("asker", "ask_form"))
    message = await service.message()
    [shown] = await push.deliver(message["text"])
    assert "asker" in shown["title"]
    assert request["params"]["message"] not in message["text"]
    [address] = await push.worker.evaluate(CLICK)
    assert address == f"{served.base}/requests/{request['id']}"
    await page.goto(address)
    await expect(page.locator(f"article#request-{request['id']}")).to_be_visible()

    await page.goto(f"{served.base}/notifications")
    await page.get_by_role("button", name="Remove").click()
    await expect(page.locator("[id^=target-]")).to_have_count(0)
