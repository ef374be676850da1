"""Links that a call needs (error -32042), and links that a server goes on asking for, in a browser."""

from __future__ import annotations

from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Locator, Route, expect

from tests.browser.axe import complaints
from tests.browser.elsewhere import Site, elsewhere
from tests.browser.person import Person
from tests.browser.test_links import accept, opened_by
from webclient.model import Json, Reason, ReasonCode
from webclient.reasons import sentence

pytestmark = pytest.mark.anyio


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with elsewhere() as site:
        yield site


async def needed(person: Person, label: str, site: Site, *names: str) -> tuple[Json, list[Json]]:
    """Call a tool that needs links; return the call and its questions."""
    links = [{"url": site.url(f"/{name}"), "elicitationId": name} for name in names]
    call = await person.api.call(label, "need_urls", {"links": links})
    return call, await person.api.asked(call)


async def awaited(person: Person, round_asker: str, site: Site) -> tuple[Json, Locator]:
    """Open the link of a tool that goes on asking for it; return the call, and what became of the question."""
    await person.live()
    call = await person.api.call(round_asker, "await_url", {"url": site.url("/pay"), "elicitation_id": "e1"})
    [request] = await person.api.asked(call)
    await (await opened_by(person.page.context, accept(person.card(request)))).close()
    return call, person.outcome(request)


async def test_the_whole_way_of_a_call_that_needs_two_links(person: Person, asker: str, site: Site) -> None:
    """One is finished by a notification, the other by the person; the page follows without a reload."""
    call, [first, second] = await needed(person, asker, site, "one", "two")
    await person.page.goto(f"{person.served.base}/calls/{call['id']}")
    await person.live()
    await expect(person.card(first)).to_contain_text("Link 1 of 2")
    await expect(person.card(first)).to_contain_text("the call is made again")
    assert await complaints(person.page) == []
    await (await opened_by(person.page.context, accept(person.card(first)))).close()
    await expect(person.outcome(first)).to_contain_text("waits until you have finished")
    await person.api.call(asker, "complete", {"elicitation_id": "one"})
    await expect(person.outcome(first)).to_contain_text(sentence(Reason(ReasonCode.SERVER_REPORTED_FINISHED)))
    await expect(person.page.get_by_text("Waiting for your answer.")).to_be_visible()
    await (await opened_by(person.page.context, accept(person.card(second)))).close()
    result = person.page.locator(f"#call-result-{call['id']}")
    await expect(result).to_contain_text("You opened 127.0.0.1:")
    await expect(result).to_contain_text("The call is sent again when you have finished there.")
    await expect(person.page.get_by_text("Waiting for your answer.")).to_have_count(0)
    await person.page.reload()
    await expect(result).to_contain_text("The call is sent again when you have finished there.")
    await person.api.in_state(
        await person.api.call(asker, "complete", {"elicitation_id": "two", "notify": False}), "done"
    )
    await person.outcome(second).get_by_role("button", name="I have finished").click()
    await expect(person.page.locator(".result__text").first).to_have_text("signed in")
    steps = person.page.locator(".steps__list > li")
    await expect(steps).to_have_count(7)
    await expect(steps.nth(6)).to_contain_text("The call was sent again.")
    await expect(steps.filter(has_text=sentence(Reason(ReasonCode.PERSON_FINISHED)))).to_have_count(1)
    assert await complaints(person.page) == []


async def test_a_declined_link_ends_the_call_and_the_other_links(person: Person, asker: str, site: Site) -> None:
    await person.live()
    call, [first, second] = await needed(person, asker, site, "one", "two")
    await expect(person.card(second)).to_be_visible()
    await expect(person.card(second)).to_contain_text("Ends the call")
    await person.press(person.card(second), "decline")
    await expect(person.outcome(first)).to_contain_text(
        sentence(Reason.of(ReasonCode.CALL_ENDED_WITHOUT_LINK, where=urlsplit(second["params"]["url"]).netloc))
    )
    failed = await person.api.in_state(call, "failed")
    assert failed["error"]["code"] == -32042
    assert site.connections == 0


async def test_the_same_link_after_it_was_finished_says_so(person: Person, asker: str, site: Site) -> None:
    await person.live()
    call, [request] = await needed(person, asker, site, "never")
    await person.api.answer(request, action="accept")
    await person.api.json("POST", f"/requests/{request['id']}/finished")
    [again] = await person.api.asked(call)
    await expect(person.card(again)).to_contain_text(sentence(Reason(ReasonCode.LINK_REPEATED)))
    await person.press(person.card(again), "cancel")


async def test_without_javascript_a_call_with_a_link_can_be_finished(
    chromium: Browser, person: Person, asker: str, site: Site
) -> None:
    context = await chromium.new_context(java_script_enabled=False)
    plain = Person(await context.new_page(), person.served, person.api)
    await plain.sign_in()
    call, [request] = await needed(person, asker, site, "plain")
    await plain.page.goto(f"{person.served.base}/requests/{request['id']}")
    await (await opened_by(context, accept(plain.card(request)))).close()
    await person.api.in_state(
        await person.api.call(asker, "complete", {"elicitation_id": "plain", "notify": False}), "done"
    )
    await plain.page.goto(f"{person.served.base}/requests/{request['id']}")
    await expect(plain.outcome(request).get_by_role("button", name="Give up")).to_be_visible()
    await plain.outcome(request).get_by_role("button", name="I have finished").click()
    await person.api.in_state(call, "done")
    await plain.page.goto(f"{person.served.base}/calls/{call['id']}")
    await expect(plain.page.locator(".steps__list")).to_contain_text("The call was sent again.")
    await context.close()


async def test_an_overtaken_answer_does_not_restore_an_old_state(person: Person, round_asker: str, site: Site) -> None:
    _call, outcome = await awaited(person, round_asker, site)
    pushed = expect(outcome).to_contain_text(sentence(Reason(ReasonCode.SERVER_NOT_SATISFIED)))

    async def overtaken(route: Route) -> None:
        answer = await route.fetch()
        await pushed
        await route.fulfill(response=answer, body=(await answer.text()).replace("<p", "<p data-late", 1))

    await person.page.route("**/finished", overtaken)
    async with person.page.expect_response("**/stream?*once=true"):
        await outcome.get_by_role("button", name="I have finished").click()
    await expect(person.page.locator("[data-late]")).to_have_count(0)
    await expect(outcome).to_contain_text(sentence(Reason(ReasonCode.SERVER_NOT_SATISFIED)))
    await person.page.unroute("**/finished")


async def test_a_server_that_still_waits_is_shown_so(person: Person, round_asker: str, site: Site) -> None:
    """2026-07-28: only the server's next answer tells; the card says what is known, and all ways on are there."""
    call, outcome = await awaited(person, round_asker, site)
    await expect(outcome).to_contain_text(sentence(Reason(ReasonCode.SERVER_STILL_WAITS)))
    await outcome.get_by_role("button", name="I have finished").click()
    await expect(outcome).to_contain_text(sentence(Reason(ReasonCode.SERVER_NOT_SATISFIED)))
    await person.page.reload()
    for name in ("I have finished", f"Open 127.0.0.1:{site.port} again", "Give up"):
        await expect(outcome.get_by_role("button", name=name)).to_be_visible()
    await expect(person.page.locator("article.card")).to_have_count(0)
    await outcome.get_by_role("button", name="Give up").click()
    await expect(outcome).to_contain_text(sentence(Reason(ReasonCode.PERSON_GAVE_UP)))
    done = await person.api.in_state(call, "done")
    assert done["result"]["structuredContent"] == {"link": {"action": "cancel"}}
