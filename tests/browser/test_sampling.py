"""A server borrows a language model: each stage in a person's hands, with the scripted models of the demo."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.program import LONG_POLL, Api
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio


async def ask(api: Api) -> Json:
    """Run the tool that borrows a model, and return its first request."""
    [request] = await api.pending_requests(await api.call("Demo trips", "plan_weekend", {}))
    return request


async def opened(person: Person, request: Json) -> Locator:
    """Open the page of the request, and return its card, at any stage."""
    await person.page.goto(f"{person.served.base}/requests/{request['id']}")
    return person.page.locator(f"article#request-{request['id']}")


async def press(card: Locator, step: str) -> None:
    """Press a button of the card once it takes clicks."""
    button = card.locator(f"button[name=step][value='{step}']:visible")
    await expect(button).not_to_have_css("pointer-events", "none")
    await button.click()


async def at(card: Locator, stage: str) -> None:
    await expect(card).to_have_attribute("data-stage", stage)


async def reviewed(writer: Person, card: Locator) -> None:
    """Wait for the answer of the model; without scripts, reload until it is shown."""
    if writer.scripts:
        return await at(card, "reviewing")
    return await writer.refresh_until(writer.page.locator("article[data-stage=reviewing]"))


async def test_a_request_is_edited_run_reviewed_and_sent(writer: Person, api: Api) -> None:
    """MCP 2025-11-25, Sampling: see and edit the request, then see and edit the answer, before the server gets it."""
    request = await ask(api)
    card = await opened(writer, request)
    await at(card, "pending")
    await card.locator("summary", has_text="Edit the request").click()
    await card.get_by_label("System prompt").fill("Be kind.")
    await press(card, "run")
    if writer.scripts:
        await expect(card.locator("h2.card__heading")).to_be_focused()
    await reviewed(writer, card)
    if writer.scripts:
        await expect(writer.page.locator("#announce")).to_contain_text("is ready for review")
    stored = await api.json("GET", f"/requests/{request['id']}")
    assert stored["sampling"]["edited"]["systemPrompt"] == "Be kind."
    assert stored["state"] == "pending"
    text = card.get_by_label("Text of the answer")
    await text.fill("First the weather.")
    if writer.scripts:
        # What was typed over the answer is still there after a reload, and so is the stage.
        await expect(card.locator(".draft")).not_to_be_empty()
        await writer.page.reload()
        await at(card, "reviewing")
        await expect(text).to_have_value("First the weather.")
    await expect(card.locator("button[value=accept]")).not_to_have_css("pointer-events", "none")
    await writer.press(card, "accept")
    await writer.settled(request)
    content = (await api.json("GET", f"/requests/{request['id']}"))["content"]["content"]
    assert content[0]["text"] == "First the weather."
    assert content[1]["type"] == "tool_use"
    # The next turn of the loop is one conversation: what was seen is folded, the result of the tool is in sight.
    [second] = await api.pending_requests(await api.json("GET", f"/calls/{request['call_id']}"))
    card = await opened(writer, second)
    await expect(card.locator(".conversation__earlier")).to_be_visible()
    await expect(card.locator(".conversation > ol .tool-use")).not_to_have_count(0)
    await expect(card.locator("button[value=decline]")).not_to_have_css("pointer-events", "none")
    await writer.press(card, "decline")
    await writer.settled(second, "declined")


async def following(api: Api, request: Json) -> Json:
    """Wait for the next request of the same call."""
    call = await api.json("GET", f"/calls/{request['call_id']}")
    while not (pending := await api.pending_requests(call)):
        call = await api.json("GET", f"/calls/{call['id']}", params={"wait": LONG_POLL, "since": call["cursor"]})
    return pending[0]


async def test_further_turns_run_by_themselves_up_to_the_limit(person: Person, api: Api) -> None:
    """Turns that the person approved in advance wait for review; beyond the limit of turns they must say so."""
    request = await ask(api)
    server = request["server_id"]
    card = await opened(person, request)
    await card.get_by_label("Further turns").select_option("2")
    await press(card, "run")
    await at(card, "reviewing")
    await expect(card.locator("button[value=accept]")).not_to_have_css("pointer-events", "none")
    await person.press(card, "accept")
    await person.settled(request)
    second = await following(api, request)
    card = await opened(person, second)
    await at(card, "reviewing")
    await api.json("PATCH", f"/servers/{server}", json={"sampling": {"turns": 1}})
    card = await opened(person, second)
    await card.locator("summary", has_text="Run again").click()
    await press(card, "run")
    await expect(card.get_by_role("alert")).to_be_visible()
    await at(card, "reviewing")
    await card.locator("summary", has_text="Run again").click()
    await card.get_by_label("Go on after 1 turn").check()
    await press(card, "run")
    await at(card, "generating")
    await at(card, "reviewing")
    await api.json("PATCH", f"/servers/{server}", json={"sampling": {"turns": 25}})
    await api.post(f"/calls/{request['call_id']}/cancel")


async def test_two_tabs_show_the_same_stage_and_a_tool_is_used_by_hand(person: Person, api: Api) -> None:
    """A run, its text and its end reach the other tab; a stop in one tab brings back the request in both."""
    request = await ask(api)
    card = await opened(person, request)
    await person.live()
    other = Person(await person.page.context.new_page(), person.served, person.api)
    second = await opened(other, request)
    await other.live()
    await press(card, "run")
    await reviewed(other, second)
    await expect(second.get_by_label("Text of the answer")).not_to_have_value("")
    await second.locator("summary", has_text="Run again").click()
    await press(second, "back")
    await at(card, "pending")
    await at(second, "pending")
    await api.post(f"/calls/{request['call_id']}/cancel")
    await expect(second).to_have_count(0)
    assert other.complaints == []
    await other.page.close()
    await _uses_a_tool_by_hand(person, await ask(api))


async def _uses_a_tool_by_hand(person: Person, request: Json) -> None:
    """The person as the model: parts are added and removed without losing what is typed; a wrong use is not sent."""
    card = await opened(person, request)
    await card.locator("summary", has_text="Write the answer yourself").click()
    await card.get_by_label("Text of the answer").fill("Let me look.")
    await press(card, "use.0")
    await expect(card.get_by_label("Text of the answer")).to_have_value("Let me look.")
    form = card.locator(".tool-form")
    await expect(form).to_be_focused()
    await expect(card.locator("button[value=accept]")).not_to_have_css("pointer-events", "none")
    await person.press(card, "accept")
    await expect(form.locator("[aria-invalid=true]").first).to_be_visible()
    assert await complaints(person.page) == []
    await press(card, "drop.1")
    await expect(form).to_have_count(0)
    await expect(card.get_by_label("Text of the answer")).to_have_value("Let me look.")
    await expect(card.locator("button[value=decline]")).not_to_have_css("pointer-events", "none")
    await person.press(card, "decline")
    await person.settled(request, "declined")


async def test_unseen_answers_are_confirmed_and_named_on_each_page(plain: Person, api: Api) -> None:
    """Answers go out unseen only after a confirmation, and every page of the server says so until that ends."""
    server = await api.server("Demo trips")
    before = (await api.json("GET", f"/servers/{server}"))["sampling"]
    page = plain.page
    await page.goto(f"{plain.served.base}/servers/{server}/permissions")
    await page.get_by_label("Approve requests and send answers unseen").check()
    for limit in ("Daily limit of model runs", "Daily limit of tokens"):
        await page.get_by_label(limit).fill("")
    await page.get_by_role("button", name="Save rule").click()
    await expect(page.locator("#sampling .field--wrong")).to_have_count(1)
    await page.get_by_label("Daily limit of tokens").fill("100000")
    await page.get_by_role("button", name="Save rule").click()
    await page.get_by_role("button", name="Send answers unseen").click()
    for tab in ("permissions", "tools", "settings", "log"):
        await page.goto(f"{plain.served.base}/servers/{server}/{tab}")
        await expect(page.locator("[data-unseen]")).to_be_visible()
    call = await api.call("Demo trips", "plan_weekend", {})
    await api.in_state(call, "done")
    await page.goto(f"{plain.served.base}/calls/{call['id']}")
    await expect(page.locator("[data-unseen]")).to_be_visible()
    await page.get_by_role("button", name="Ask me every time").first.click()
    await page.wait_for_url(re.compile("permissions"))
    await expect(page.locator("[data-unseen]")).to_have_count(0)
    assert not (await api.json("GET", f"/servers/{server}"))["sampling"]["approve"]
    await api.json("PATCH", f"/servers/{server}", json={"sampling": before})
