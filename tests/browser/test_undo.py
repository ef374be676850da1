"""Approvals can be undone, and refusals if something was typed: here, in another tab, without JavaScript."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Route, expect

from tests.browser.axe import complaints
from tests.browser.person import Person, show_form
from tests.mcp_servers import entry
from tests.program import Program, program
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

SCHEMA: Json = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Your name"},
        "password": {"type": "string", "title": "Password"},
    },
}
NO_FIELDS: Json = {"type": "object", "properties": {}}
MESSAGES: Json = {"messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}], "maxTokens": 50}


def line(person: Person, request: Json) -> Locator:
    """Return the line that stands for a card whose refusal can be undone."""
    return person.page.locator(f"#undo-{request['id']}")


def undo(person: Person, request: Json) -> Locator:
    """Return its button."""
    return line(person, request).get_by_role("button")


def name(person: Person, request: Json) -> Locator:
    return person.card(request).get_by_label("Your name")


async def typed(person: Person, server: str, text: str) -> Json:
    """Have the server ask, and type an answer."""
    request = await person.ask(server, "Who are you?", schema=SCHEMA)
    if not await person.card(request).is_visible():
        await person.page.goto(person.served.base)
    await person.read(request)
    await show_form(person.card(request))
    await name(person, request).fill(text)
    return request


@asynccontextmanager
async def undoing(seconds: int, folder: Path) -> AsyncIterator[Program]:
    """Run a program in which answers can be undone for so long."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_UNDO_SECONDS", str(seconds))
        environment.setenv("WEBCLIENT_UNDO_APPROVAL_SECONDS", str(seconds))
        async with program(folder, servers={"it": entry("asker")}) as served:
            yield served


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """Time enough for any machine: nothing here waits for its end."""
    async with undoing(60, tmp_path_factory.mktemp("undo")) as served:
        yield served


@pytest.fixture(scope="module")
async def hasty(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    async with undoing(2, tmp_path_factory.mktemp("hasty")) as served:
        yield served


@pytest.fixture
async def quick(chromium: Browser, hasty: Program) -> AsyncIterator[Person]:
    """A person at a program in which refusals can be undone for two seconds."""
    async with hasty.client() as api, await chromium.new_context() as context:
        person = Person(await context.new_page(), hasty, api)
        await person.sign_in()
        yield person
        assert person.complaints == []


@pytest.mark.smoke
async def test_undo_brings_back_the_card_with_everything_typed(person: Person, asker: str) -> None:
    await person.live()
    request = await typed(person, asker, "Ada")
    await person.card(request).get_by_label("Password").fill("correct horse")
    for action in ("decline", "cancel"):
        await person.press(person.card(request), action)
        await expect(line(person, request)).to_have_attribute("data-decided", action)
        await expect(undo(person, request)).to_be_focused()
        assert action == "cancel" or await complaints(person.page) == []
        await person.page.route("**/undo", _answer_late)
        # In another width the line is laid out again, and takes no keys for a moment.
        await person.takes_keys(undo(person, request))
        await undo(person, request).press("Enter")
        await expect(name(person, request)).to_have_value("Ada")
        await expect(person.card(request).get_by_label("Password")).to_have_value("correct horse")
        await expect(line(person, request)).to_have_count(0)
        await expect(person.card(request).locator("h2[tabindex]")).to_be_focused()
        assert await state(person, request) == "pending"
        await person.page.unroute("**/undo")


async def _answer_late(route: Route) -> None:
    """Let the stream bring the undo to the page before the answer does."""
    answer = await route.fetch()
    await asyncio.sleep(0.5)
    await route.fulfill(response=answer)


async def approved(person: Person, server: str, message: str) -> Json:
    """Have the server ask for a yes, and approve."""
    request = await person.ask(server, message, schema=NO_FIELDS)
    if not person.scripts:
        await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    await person.read(request)
    await person.press(person.card(request), "accept")
    await expect(line(person, request)).to_have_attribute("data-decided", "accept")
    return request


async def state(person: Person, request: Json) -> str:
    return str((await person.api.json("GET", f"/requests/{request['id']}"))["state"])


async def test_an_approval_comes_back_or_goes_out_with_the_next_step(person: Person, asker: str) -> None:
    await person.live()
    following = await person.ask(asker, "And this?", schema=NO_FIELDS, opened=False)
    request = await approved(person, asker, "Deploy?")
    await expect(line(person, request)).to_be_focused()
    assert await complaints(person.page) == []
    assert await state(person, request) == "pending"
    await person.takes_keys(undo(person, request))
    await undo(person, request).press("Enter")
    await expect(person.card(request)).to_be_visible()
    await expect(line(person, request)).to_have_count(0)
    assert await state(person, request) == "pending"
    await person.read(request)
    await person.press(person.card(request), "accept")
    await expect(line(person, request)).to_be_focused()
    await person.page.keyboard.press("Enter")
    await expect(person.card(following)).to_be_visible()
    assert (await person.result(request["call_id"]))["structuredContent"]["action"] == "accept"


async def test_answers_are_sent_after_their_time(quick: Person) -> None:
    """The typed text of a refusal is kept; several can be undone for that time as well; a closed tab stops nothing."""
    page = quick.page
    await quick.live()
    request = await approved(quick, "it", "Deploy?")
    await quick.settled(request)
    await expect(quick.outcome(request)).to_be_focused()
    assert await action_of(quick, request) == "accept"

    request = await typed(quick, "it", "Ada Lovelace")
    await quick.press(quick.card(request), "decline")
    await quick.settled(request, "declined")
    await expect(quick.outcome(request)).to_be_focused()
    assert await action_of(quick, request) == "decline"
    await expect(quick.outcome(request)).to_contain_text("Your name: Ada Lovelace")
    await page.reload()
    unsent = page.get_by_role("region", name="Unsent drafts")
    await unsent.get_by_role("link", name="“Who are you?”").click()
    await expect(quick.outcome(request)).to_contain_text("Your name: Ada Lovelace")

    await page.goto(quick.served.base)
    requests = [await quick.ask("it", f"Question {n}", opened=False) for n in range(2)]
    await select(quick, requests, "Decline")
    said = page.locator("#flash")
    await said.get_by_role("button").focus()
    await expect(said.get_by_role("button")).to_have_count(0)
    await expect(said).to_be_focused()
    for each in requests:
        assert await action_of(quick, each) == "decline"
        await expect(quick.request_row(each)).to_have_attribute("data-state", "declined")

    request = await typed(quick, "it", "Ada")
    async with page.expect_response(f"**/requests/{request['id']}"):
        await quick.press(quick.card(request), "cancel")
    await page.close()
    assert await action_of(quick, request) == "cancel"


async def action_of(person: Person, request: Json) -> str:
    """Wait for the end of the call, and return the answer that its server got."""
    return str((await person.result(request["call_id"]))["structuredContent"]["action"])


async def select(person: Person, requests: Sequence[Json], verb: str) -> None:
    """Tick two rows, press the button for all of them, and confirm."""
    for request in requests:
        await person.request_row(request).get_by_role("checkbox").check()
    await person.page.get_by_role("button", name=f"{verb} selected").click()
    confirm = person.page.get_by_role("button", name=f"{verb} 2 questions")
    await expect(confirm).to_be_visible()
    await person.page.wait_for_timeout(400)
    await confirm.click()


async def test_selected_requests_are_declined_together_and_undone(person: Person, asker: str) -> None:
    page, said = person.page, person.page.locator("#flash")
    requests = [await person.ask(asker, f"Question {n}", opened=False) for n in range(3)]
    await page.goto(person.served.base)
    await select(person, requests[:2], "Decline")
    await expect(said.get_by_role("status")).to_be_visible()
    rows = [await person.request_row(request).get_attribute("data-state") for request in requests]
    assert rows == ["decided", "decided", "pending"]
    await expect(page).to_have_title("(1) Inbox · mcp-webclient")
    tops = [await page.locator(f".{place}").bounding_box() for place in ("inbox", "detail")]
    assert len({box["y"] for box in tops if box}) == 1
    await said.get_by_role("button").click()
    await expect(said.get_by_role("button")).to_have_count(0)
    for request in requests:
        await expect(person.request_row(request).get_by_role("checkbox")).to_be_visible()


async def test_selected_requests_are_approved_after_a_list(person: Person, asker: str) -> None:
    simple = [await person.ask(asker, f"Ship {n}?", schema=NO_FIELDS, opened=False) for n in range(3)]
    form = await person.ask(asker, "Who are you?", opened=False)
    await person.page.goto(person.served.base)
    await person.request_row(form).get_by_role("checkbox").check()
    await select(person, simple[:2], "Approve")
    await expect(person.page.locator("#flash").get_by_role("status")).to_be_visible()
    states = [await state(person, each) for each in (*simple, form)]
    assert states == ["accepted", "accepted", "pending", "pending"]


async def test_a_reload_and_a_second_tab_offer_undo(person: Person, asker: str) -> None:
    await person.live()
    other = Person(await person.page.context.new_page(), person.served, person.api)
    await other.page.goto(person.served.base)
    await other.live()
    request = await typed(person, asker, "Ada")
    await expect(other.card(request)).to_be_visible()
    await person.press(person.card(request), "decline")
    await expect(undo(other, request)).to_be_visible()
    await expect(other.card(request)).to_have_count(0)
    await person.page.reload()
    await expect(undo(person, request)).to_be_visible()
    await undo(other, request).click()
    await expect(name(other, request)).to_have_value("Ada")
    await expect(name(person, request)).to_have_value("Ada")
    await expect(person.page.locator(f"[id$='-{request['id']}'].card")).to_have_count(1)
    assert other.complaints == []


async def test_undo_works_without_javascript(plain: Person, asker: str) -> None:
    request = await typed(plain, asker, "Ada")
    await plain.press(plain.card(request), "decline")
    await undo(plain, request).click()
    await expect(name(plain, request)).to_have_value("Ada")
    assert await state(plain, request) == "pending"
    request = await approved(plain, asker, "Deploy?")
    await undo(plain, request).click()
    await expect(plain.card(request)).to_be_visible()
    assert await state(plain, request) == "pending"


async def test_an_answer_written_for_a_model_comes_back(person: Person) -> None:
    call = await person.api.call("it", "sample", {"params": MESSAGES})
    [request] = await person.api.pending_requests(call)
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    card = person.card(request)
    await card.get_by_label("Text of the answer").fill("Let me look.")
    await person.press(card, "decline")
    await undo(person, request).click()
    await expect(card.get_by_label("Text of the answer")).to_have_value("Let me look.")
