"""Links that a call needs (error -32042), and links that a server goes on asking for, in a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Route, expect

from tests.browser.axe import complaints
from tests.browser.elsewhere import Site, elsewhere
from tests.browser.person import Person, link_button
from tests.browser.test_links import accept, opened_by
from webclient.domain.model import Json, Reason, ReasonCode
from webclient.domain.reasons import sentence

pytestmark = pytest.mark.anyio


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with elsewhere() as site:
        yield site


async def needed(person: Person, label: str, site: Site, *names: str) -> tuple[Json, list[Json]]:
    """Call a tool that needs links; return the call and its questions."""
    links = [{"url": site.url(f"/{name}"), "elicitationId": name} for name in names]
    call = await person.api.call(label, "need_urls", {"links": links})
    return call, await person.api.pending_requests(call)


async def test_the_whole_way_of_a_call_that_needs_two_links(person: Person, asker: str, site: Site) -> None:
    """One is finished by a notification, the other by the person; the page follows without a reload."""
    call, [first, second] = await needed(person, asker, site, "one", "two")
    await person.page.goto(f"{person.served.base}/calls/{call['id']}")
    await person.live()
    await expect(person.card(first)).to_contain_text("Step 1 of 2.")
    await expect(person.card(first)).to_contain_text("The call continues when all are done.")
    assert await complaints(person.page) == []
    await (await opened_by(person.page.context, accept(person.card(first)))).close()
    await person.settled(first, "waiting")
    await person.api.call(asker, "complete", {"elicitation_id": "one"})
    await expect(person.outcome(first)).to_contain_text(sentence(Reason(ReasonCode.SERVER_REPORTED_FINISHED)))
    result = person.page.locator(f"#call-result-{call['id']}")
    waits_for_an_answer = await result.inner_text()
    await (await opened_by(person.page.context, accept(person.card(second)))).close()
    await expect(result).to_contain_text("127.0.0.1:")
    waits_for_a_link = await result.inner_text()
    assert waits_for_a_link != waits_for_an_answer
    await person.page.reload()
    await expect(result).to_have_text(waits_for_a_link, use_inner_text=True)
    await person.api.in_state(
        await person.api.call(asker, "complete", {"elicitation_id": "two", "notify": False}), "done"
    )
    async with person.page.expect_response(f"**/requests/{second['id']}/finished") as answering:
        await link_button(person.outcome(second), "finished").click()
    # The same as what the stream sends: either may come last.
    assert 'data-clock="time"' in await (await answering.value).text()
    await expect(person.page.locator(".result__text").first).to_have_text("signed in")
    await expect(person.outcome(second)).to_contain_text(sentence(Reason(ReasonCode.PERSON_FINISHED)))
    await expect(person.page.locator("#sent-required-1")).to_be_visible()
    pushed = await person.page.locator("#cards").inner_text()
    await person.page.reload()
    await expect(person.page.locator("#cards")).to_have_text(pushed, use_inner_text=True)
    assert await complaints(person.page) == []


async def test_a_declined_link_ends_the_call_and_the_other_links(person: Person, asker: str, site: Site) -> None:
    call, [first, second] = await needed(person, asker, site, "three", "four")
    await person.page.goto(f"{person.served.base}/calls/{call['id']}")
    await person.live()
    await expect(person.card(first)).to_be_visible()
    await expect(person.card(second)).to_contain_text("ends the call")
    await person.press(person.card(second), "decline")
    await expect(person.outcome(first)).to_contain_text(
        sentence(Reason.of(ReasonCode.CALL_ENDED_WITHOUT_LINK, where=urlsplit(second["params"]["url"]).netloc))
    )
    failed = await person.api.in_state(call, "failed")
    assert failed["error"]["code"] == -32042
    assert site.connections == 0


async def test_a_server_that_still_waits_is_shown_so(person: Person, round_asker: str, site: Site) -> None:
    """2026-07-28: only the server's next answer tells; the card says what is known, and all ways on are there.

    An answer that the stream has overtaken does not restore an old state.
    """
    await person.live()
    call = await person.api.call(round_asker, "await_url", {"url": site.url("/pay"), "elicitation_id": "e1"})
    [request] = await person.api.pending_requests(call)
    await person.show(request)
    await (await opened_by(person.page.context, accept(person.card(request)))).close()
    outcome = person.outcome(request)
    await expect(outcome).to_have_attribute("data-state", "waiting")
    unsatisfied = sentence(Reason(ReasonCode.SERVER_NOT_SATISFIED))
    pushed = expect(outcome).to_contain_text(unsatisfied)

    async def overtaken(route: Route) -> None:
        answer = await route.fetch()
        await pushed
        await route.fulfill(response=answer, body=(await answer.text()).replace("<p", "<p data-late", 1))

    await person.page.route("**/finished", overtaken)
    async with person.page.expect_response("**/stream?*once=true"):
        await link_button(outcome, "finished").click()
    await expect(person.page.locator("[data-late]")).to_have_count(0)
    await expect(outcome).to_contain_text(unsatisfied)
    await person.page.unroute("**/finished")
    await person.page.reload()
    for action in ("finished", "open", "give-up"):
        await expect(link_button(outcome, action)).to_be_visible()
    await expect(person.page.locator("article.card")).to_have_count(0)
    await link_button(outcome, "give-up").click()
    await expect(outcome).to_have_attribute("data-fate", "link_given_up")
    done = await person.api.in_state(call, "done")
    assert done["result"]["structuredContent"] == {"link": {"action": "cancel"}}
