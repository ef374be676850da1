"""A tool that runs as a task: its page, its questions, and the tasks of its server."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.browser.axe import complaints
from tests.browser.person import Person
from tests.push_tasks.servers import on_mcp_1
from webclient.domain.model import Json

pytestmark = pytest.mark.anyio

TRIPS = "Demo trips"


async def test_a_task_is_followed_answered_and_stopped(person: Person) -> None:
    page = person.page
    await person.run("Plan a whole trip", destination="Lisbon")
    task = page.locator("section[id^=call-task-]")
    card = page.locator("#cards article")
    await expect(card).to_contain_text("Which flight to Lisbon?")
    await expect(task).to_have_attribute("data-status", "input_required")
    await expect(task.locator("dd time[datetime]")).not_to_have_count(0)
    await expect(page.get_by_role("button", name="Stop task")).to_have_accessible_description(
        "The server is asked to stop. What it has done already stays done."
    )
    await card.get_by_text("12:15, 310 EUR").click()
    await page.reload()
    await person.live()
    await expect(page.locator("[data-from]")).to_be_hidden()
    assert await complaints(page, unfold=".card__more") == []
    await card.get_by_text("12:15, 310 EUR").click()
    await person.press(card, "accept")

    await expect(card).to_contain_text("How long a stay?")
    await person.press(card, "accept")
    result = await person.result_here()
    assert result["content"][0]["text"] == "Lisbon: flight at 12:15, 310 EUR; 3 nights in a hotel near the station."
    await expect(task).to_have_attribute("data-status", "completed")
    await expect(task.locator("summary")).to_have_text("Task details")
    await expect(page.locator("#cards [data-state=accepted]")).to_have_count(2)

    call = await person.api.call(TRIPS, "plan_trip", {"destination": "Kyoto"})
    [request] = await person.api.pending_requests(call)
    task_id = (await person.api.json("GET", f"/calls/{call['id']}"))["task"]["id"]
    await page.goto(f"{person.served.base}/servers/{call['server_id']}/tasks")
    await page.get_by_label("Task ID").fill("nonsense")
    await page.get_by_role("button", name="Take up task").click()
    await expect(page.get_by_label("Task ID")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_label("Task ID")).to_have_value("nonsense")
    assert await complaints(page) == []
    # One that is followed already leads to its call.
    await page.get_by_label("Task ID").fill(f" {task_id} ")
    await page.get_by_role("button", name="Take up task").click()
    await page.wait_for_url(f"**/calls/{call['id']}")
    await page.get_by_role("button", name="Stop task").click()
    await person.settled(request, "cancelled")
    await expect(page.locator(".status")).to_have_attribute("data-status", "stopped")

    # What was followed and stopped here is cancelled at the server, and can be looked at again.
    again = await person.api.json("POST", f"/servers/{call['server_id']}/tasks", 202, json={"task_id": task_id})
    ended = await person.api.in_state(again, "cancelled")
    assert ended["task"]["status"] == "cancelled"
    await page.goto(f"{person.served.base}/calls/{again['id']}")
    await expect(page.get_by_role("heading", level=1)).to_have_text("Task")
    await expect(page.get_by_role("button", name="Run again")).to_have_count(0)


async def test_a_task_is_answered_without_javascript(plain: Person) -> None:
    page = plain.page
    await plain.run("Plan a whole trip", destination="Cusco")
    await page.wait_for_url("**/calls/*")
    call = page.url
    for answer in ("23:55, 150 EUR", ""):
        card = page.locator("#cards article")
        await plain.refresh_until(card)
        if answer:
            await card.get_by_text(answer).click()
        await plain.press(card, "accept")
        await page.wait_for_url("**/requests/*")
        await page.goto(call)
    result = await plain.result_here()
    assert result["content"][0]["text"].startswith("Cusco: flight at 23:55")


async def test_the_choice_to_run_as_a_task_is_remembered(person: Person) -> None:
    """A tool that may run as a task leaves the choice to the person (MCP 2025-11-25, Tasks: R2)."""
    page, api = person.page, person.api
    async with on_mcp_1() as server:
        body = {"label": "Tea room", "transport": server.transport, "era": "2025-11-25"}
        added = await api.json("POST", "/servers", 201, json=body)
        await api.json("POST", f"/servers/{added['id']}/connect", 202)
        await api.server("Tea room")
        tool = f"{person.served.base}/servers/{added['id']}/tools/slow"
        box = page.get_by_label("Run as a task")
        await page.goto(tool)
        await expect(box).not_to_be_checked()
        await box.check()
        await person.run_button("slow").click()
        await expect(page.locator("[data-task-message]")).to_have_text("Brewing tea")
        call = page.url.rpartition("/")[2]
        await page.goto(tool)
        await expect(box).to_be_checked()
        await page.goto(f"{person.served.base}/servers/{added['id']}/tasks")
        await expect(page.locator(f"#call-{call}")).to_contain_text("Brewing tea")
        await expect(page.locator("#other-tasks .task-list__item")).to_have_count(0)

        await api.json("POST", f"/calls/{call}/cancel")
        await page.goto(tool)
        await box.uncheck()
        await person.run_button("slow").click()
        await person.result_here()
        await expect(page.locator("section[id^=call-task-]")).to_be_hidden()
        await page.goto(tool)
        await expect(box).not_to_be_checked()
        refused = await api.json("POST", "/calls", 409, json=_plain(added["id"]))
        assert "cannot run as a task" in refused["detail"]
        assert (await api.delete(f"/servers/{added['id']}")).status_code == 204


def _plain(server_id: str) -> Json:
    return {"server_id": server_id, "kind": "tool", "name": "plain", "task": True}
