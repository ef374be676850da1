"""The inbox in a page of another site: signed in by its backend, and answered in the frame."""

from __future__ import annotations

import json

import httpx2
import pytest
from playwright.async_api import Page, Route, expect

from tests.browser.axe import complaints
from tests.browser.embedding import Embedded, frame_of, heard, opened, press, press_until_taken

pytestmark = pytest.mark.anyio

SCHEMA = {
    "type": "object",
    "required": ["name"],
    "properties": {
        "name": {"type": "string", "title": "Name", "description": "As in your passport."},
        "day": {"type": "string", "format": "date", "title": "Day"},
        "seat": {"type": "string", "enum": ["window", "aisle"], "title": "Seat"},
        "meals": {"type": "array", "items": {"type": "string", "enum": ["lunch", "dinner"]}, "title": "Meals"},
        "insured": {"type": "boolean", "title": "Insured"},
    },
}


@pytest.mark.smoke
async def test_a_question_is_answered_in_the_frame(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded)
    [cookie] = await page.context.cookies(f"{embedded.app.base}/")
    assert cookie["partitionKey"] == "http://localhost"
    # From here on as in a browser that keeps no cookies at all: the frame has its session in memory.
    await page.context.clear_cookies()
    request = await embedded.ask("ada", "Which secret plan?")
    card = frame.locator(f"#request-{request['id']}")
    await expect(card).to_be_visible()
    await heard(page, "pending", count=1)
    await frame.get_by_label("Name").fill("Ada")
    await press(card.locator("button[value=accept]"))
    await heard(page, "settled", id=request["id"], action="accept")
    await heard(page, "pending", count=0)
    await heard(page, "call", id=request["call_id"], state="done")
    assert await page.evaluate("document.querySelector('mcp-inbox').pending") == 0
    said = json.dumps(await page.evaluate("events"))
    assert "plan" not in said
    assert "Ada" not in said


async def test_a_link_opens_from_the_click_in_the_frame(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="liz")
    request = await embedded.ask("liz", tool="ask_url", url=f"http://127.0.0.1:{embedded.app.port}/")
    card = frame.locator(f"#request-{request['id']}")
    async with page.context.expect_page() as opening:
        await press(card.locator("button[value=accept]"))
    tab = await opening.value
    await tab.wait_for_url(f"http://127.0.0.1:{embedded.app.port}/")
    assert await tab.evaluate("opener") is None
    await heard(page, "settled", id=request["id"], action="accept")


async def test_an_opened_link_is_pending_until_it_is_done(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="uli")
    api = await embedded.user("uli")
    link = {"url": f"http://127.0.0.1:{embedded.app.port}/", "elicitation_id": "uli"}
    [request] = await api.pending_requests(await api.call("asker", "await_url", link))
    async with page.context.expect_page():
        await press(frame.locator(f"#request-{request['id']} button[value=accept]"))
    await heard(page, "settled", id=request["id"], action="accept")
    # The server waits, and so does what the person has begun.
    waiting = frame.locator(f"#outcome-{request['id']}[data-state=waiting]")
    await expect(waiting).to_be_visible()
    await page.wait_for_function("inbox.pending === 1")
    await page.evaluate("events.length = 0")
    await api.json("POST", f"/requests/{request['id']}/give-up")
    await expect(waiting).to_have_count(0)
    await heard(page, "pending", count=0)


async def test_an_outcome_leaves_no_empty_box(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="bob")
    request = await embedded.ask("bob", schema=SCHEMA)
    # The pointer stays where the button was.
    await press(frame.locator(f"#request-{request['id']} button[value=decline]"))
    await heard(page, "settled", id=request["id"], action="decline")
    script = "(id) => document.getElementById(id).offsetHeight < 120"
    await page.frames[1].wait_for_function(script, arg=f"outcome-{request['id']}")


@pytest.mark.parametrize(("style", "expected"), [("", 1), ("mcp-inbox { color-scheme: dark }", 0)])
async def test_a_page_of_another_color_scheme_is_named(
    page: Page, embedded: Embedded, style: str, expected: int
) -> None:
    warnings: list[str] = []
    page.on("console", lambda message: warnings.append(message.text) if message.type == "warning" else None)
    await opened(page, embedded, sub="dan", style=f"body {{ background: #111; color: #eee }} {style}")
    await page.evaluate("inbox.refresh()")
    assert len([each for each in warnings if "attribute theme" in each]) == expected


async def test_a_theme_is_that_of_frame_and_badge(page: Page, embedded: Embedded) -> None:
    await opened(page, embedded, sub="tom", more='theme="dark" display="badge"')
    schemes = (
        "[inbox, inbox.shadowRoot.querySelector('[part=badge]')].map((each) => getComputedStyle(each).colorScheme)"
    )
    within = "(scheme) => getComputedStyle(document.documentElement).colorScheme === scheme"
    await page.frames[1].wait_for_function(within, arg="dark")
    assert await page.evaluate(schemes) == ["dark", "dark"]
    await page.evaluate("inbox.setAttribute('theme', 'light')")
    await page.frames[1].wait_for_function(within, arg="light")
    assert await page.evaluate(schemes) == ["light", "light"]
    await page.evaluate("inbox.removeAttribute('theme')")
    await page.frames[1].wait_for_function(within, arg="light dark")


PANEL = "mcp-inbox { block-size: 260px; margin: 20px }"


@pytest.mark.parametrize("edge", ["fade", "shadow"])
async def test_an_edge_covers_no_question(page: Page, embedded: Embedded, edge: str) -> None:
    frame = await opened(page, embedded, sub=edge, style=PANEL, more=f'display="panel" edge="{edge}"')
    request = await embedded.ask(edge, schema=SCHEMA)
    card = frame.locator(f"#request-{request['id']}")
    await expect(card).to_be_visible()
    ends = "['::before', '::after'].map((end) => Number(getComputedStyle(document.body, end).opacity))"
    shadow = "getComputedStyle(inbox.shadowRoot.querySelector('[part=panel]')).boxShadow"
    assert (await page.evaluate(shadow) != "none") is (edge == "shadow")
    if edge == "fade":
        # More is below, and then above.
        assert await page.frames[1].evaluate(ends) == [0, 1]
        await page.frames[1].evaluate("document.scrollingElement.scrollTop = 1e6")
        await page.frames[1].wait_for_function(f"(([above, below]) => above === 1 && below === 0)({ends})")
    await press(card.locator("button[value=decline]"))
    await heard(page, "settled", id=request["id"], action="decline")
    assert not await page.evaluate("events.filter(({ type }) => type === 'covered' || type === 'error').length")


async def test_the_questions_open_in_a_tab_once(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="max")
    request = await embedded.ask("max")
    # Chromium drops clicks into a frame that has just moved or grown, if that watches what covers it.
    await expect(frame.locator(f"#request-{request['id']}")).to_have_attribute("data-armed", "")
    async with page.context.expect_page() as opening:
        await frame.get_by_role("button", name="Open in a tab").click()
    tab = await opening.value
    await tab.wait_for_url("**/panel/chat/tab*")
    await expect(tab.locator(f"#request-{request['id']}")).to_be_visible()
    await press(tab.locator("button[value=decline]"))
    await heard(page, "settled", id=request["id"], action="decline")
    # The rest of the program is closed to that tab.
    assert (await tab.goto(f"{embedded.app.base}/servers")).status == 403  # type: ignore[union-attr]


async def test_another_person_sees_nothing_of_the_one_before(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="oda")
    request = await embedded.ask("oda", "For Oda alone")
    await expect(frame.locator(f"#request-{request['id']}")).to_be_visible()
    other = embedded.app.token("pia")
    await page.evaluate("(token) => { inbox.getToken = () => token; events.length = 0 }", other)
    await embedded.end("oda")
    await heard(page, "state", state="signed-out")
    await heard(page, "token-needed", why="start")
    await expect(frame.locator(f"#request-{request['id']}")).to_have_count(0)


async def test_focus_goes_in_and_escape_brings_it_back(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="ron", more='display="badge"')
    request = await embedded.ask("ron")
    await heard(page, "pending", count=1)
    badge = page.get_by_role("button", name="Questions")
    await expect(badge).to_have_attribute("aria-expanded", "false")
    news = page.locator("mcp-inbox").get_by_role("status")
    await expect(news).to_have_text("Questions 1")
    await badge.click()
    await expect(news).to_be_empty()
    heading = frame.locator(f"#title-{request['id']}")
    await expect(heading).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(badge).to_be_focused()
    await expect(badge).to_have_attribute("aria-expanded", "false")
    # Nothing in a closed panel can be focused.
    await page.keyboard.press("Tab")
    await expect(page.locator("#after")).to_be_focused()
    await page.keyboard.press("Shift+Tab")
    await expect(badge).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(badge).to_have_attribute("aria-expanded", "true")
    await badge.focus()
    await page.keyboard.press("Escape")
    await expect(badge).to_have_attribute("aria-expanded", "false")


async def test_escape_leaves_field_menu_and_panel_in_turn(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="esc", more='display="badge"')
    request = await embedded.ask("esc")
    await heard(page, "pending", count=1)
    badge = page.get_by_role("button", name="Questions")
    panel = page.locator("mcp-inbox").get_by_role("dialog", name="Questions")
    await badge.click()
    card = frame.locator(f"#request-{request['id']}")
    field, menu = card.get_by_label("Name"), card.locator(".card__more > summary")
    await field.press_sequentially("Ada")
    await page.keyboard.press("Escape")
    # The focus is at the same place of the card.
    await expect(field).not_to_be_focused()
    assert await field.evaluate("(field) => document.activeElement.contains(field) && document.activeElement.tabIndex")
    await menu.press("Enter")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Escape")
    await expect(menu).to_be_focused()
    await expect(card.locator(".card__more")).not_to_have_attribute("open", "")
    await expect(panel).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(badge).to_be_focused()
    await expect(panel).to_have_count(0)
    await badge.click()
    await expect(field).to_have_value("Ada")


async def test_the_frame_is_accessible_in_all_its_states(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="amy", more='style="max-block-size: none"')
    inner = page.frames[1]
    assert await complaints(page, frame=inner) == []
    form = await embedded.ask("amy", schema=SCHEMA)
    link = await embedded.ask("amy", tool="ask_url", url="http://127.0.0.1:9/")
    for request in (form, link):
        await expect(frame.locator(f"#request-{request['id']}")).to_be_visible()
    assert await complaints(page, frame=inner) == []
    await press(frame.locator(f"#request-{link['id']} button[value=decline]"))
    await heard(page, "settled", id=link["id"])
    assert await complaints(page, frame=inner) == []


async def test_a_badge_is_the_button_of_a_dialog(page: Page, embedded: Embedded) -> None:
    await opened(page, embedded, sub="tree", more='display="badge"')
    await embedded.ask("tree")
    await page.wait_for_function("inbox.pending === 1")
    inbox = page.locator("mcp-inbox")
    badge = inbox.get_by_role("button", name="Questions 1", exact=True)
    for is_open in ("false", "true"):
        await expect(badge).to_have_attribute("aria-expanded", is_open)
        await expect(badge).to_have_attribute("aria-haspopup", "dialog")
        # What is in the frame is tested there.
        found = await complaints(page, within="mcp-inbox")
        assert [each for each in found if not each.startswith("frame-tested")] == []
        await badge.click()
    await badge.click()
    panel = inbox.get_by_role("dialog", name="Questions", exact=True)
    await expect(panel).to_match_aria_snapshot("""
      - dialog "Questions":
        - button "Close"
        - iframe
    """)
    controlled = await badge.evaluate_handle(
        "(badge) => badge.getRootNode().getElementById(badge.getAttribute('aria-controls'))"
    )
    assert await panel.evaluate("(panel, controlled) => panel === controlled", controlled)


async def test_the_frame_works_where_other_sites_have_no_cookies(page: Page, embedded: Embedded) -> None:
    session = await page.context.new_cdp_session(page)
    blocked = {"disableThirdPartyCookieMetadata": True, "disableThirdPartyCookieHeuristics": True}
    await session.send("Network.enable")
    await session.send("Network.setCookieControls", {"enableThirdPartyCookieRestriction": True, **blocked})
    # Firefox has neither of these then; `tests/firefox` shows the real ones.
    await page.add_init_script(
        """const denied = () => { throw new DOMException("denied", "SecurityError") }
        window.BroadcastChannel = class { constructor() { denied() } }
        if (navigator.locks) navigator.locks.request = async () => denied()"""
    )
    async with page.expect_request("**/panel/chat") as sent:
        frame = await opened(page, embedded, sub="joe")
    headers = await (await sent.value).all_headers()
    # The browser itself says that the frame has no access to cookies that are not of its partition.
    assert headers["sec-fetch-storage-access"] == "none"
    assert "webclient-embed" in headers["cookie"]
    request = await embedded.ask("joe")
    await press(frame.locator(f"#request-{request['id']} button[value=decline]"))
    await heard(page, "settled", id=request["id"], action="decline")


async def test_a_renewal_keeps_the_stream_and_typed_text(page: Page, embedded: Embedded) -> None:
    streams: list[str] = []
    page.on("request", lambda sent: streams.append(sent.url) if "/stream?" in sent.url else None)

    async def shorten(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, json=await answer.json() | {"expires_at": "2020-01-01T00:00:00Z"})

    await page.route("**/api/v1/sessions", shorten, times=1)
    frame = await opened(page, embedded, sub="sue")
    request = await embedded.ask("sue")
    await frame.get_by_label("Name").fill("Sue")
    async with page.expect_response("**/api/v1/sessions") as renewed:
        await heard(page, "token-needed", why="renew")
    assert (await renewed.value).status == 201
    later = await embedded.ask("sue", "And after that?")
    await expect(frame.locator(f"#request-{later['id']}")).to_be_visible()
    await expect(frame.locator(f"#request-{request['id']}").get_by_label("Name")).to_have_value("Sue")
    assert len(streams) == 1


async def test_a_signed_out_person_leaves_nothing_in_frame_and_tab(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="kim", more='display="badge"')
    request = await embedded.ask("kim", "For Kim alone")
    await heard(page, "pending", count=1)
    await page.get_by_role("button", name="Questions").click()
    card = frame.locator(f"#request-{request['id']}")
    await card.get_by_label("Name").fill("Kim")
    async with page.context.expect_page() as opening:
        # By a key: Chromium drops clicks into a frame that has just moved.
        await frame.locator("#open-tab button").press("Enter")
    tab = await opening.value
    await tab.get_by_label("Name").fill("Kim too")
    assert not tab.url.endswith("?")
    # The app signs the person out: it has no token for them any more.
    await page.evaluate("() => { inbox.getToken = () => { throw new Error() } }")
    await embedded.end("kim")
    await heard(page, "state", state="signed-out")
    await heard(page, "pending", count=0)
    await expect(frame.get_by_text("Chat")).to_be_visible()
    await tab.wait_for_function("!document.querySelector('article')")
    for shown in (await frame.locator("body").inner_html(), await tab.content()):
        assert "Kim" not in shown
        assert "Bearer" not in shown
    await expect(tab.get_by_text("Chat")).to_be_visible()
    # The next person begins in the same frame.
    token = embedded.app.token("lea")
    await page.evaluate("(token) => { inbox.getToken = () => token; inbox.reload() }", token)
    await heard(page, "state", state="loading")
    await page.wait_for_function("inbox.state === 'ready'")


async def test_a_frame_without_a_token_is_one_line_high(page: Page, embedded: Embedded) -> None:
    script = "<script>inbox.getToken = () => { throw new Error() }</script>"
    await page.goto(embedded.app.url(script=script))
    await heard(page, "state", state="signed-out")
    await expect(frame_of(page).locator("#frame-state")).to_be_visible()
    await page.wait_for_function("inbox.offsetHeight < 100")


async def test_the_page_signs_its_person_out(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="max")
    request = await embedded.ask("max", "For Max alone")
    await expect(frame.locator(f"#request-{request['id']}")).to_be_visible()
    await page.evaluate("inbox.signOut()")
    await expect(page.locator("mcp-inbox iframe")).to_have_count(0)
    assert await page.evaluate("[inbox.state, inbox.pending]") == ["signed-out", 0]
    await expect(page.locator("mcp-inbox [part=state]")).to_be_visible()
    await page.evaluate("inbox.reload()")
    await expect(frame.locator(f"#request-{request['id']}")).to_be_visible()


async def test_an_expired_frame_keeps_text_and_heals(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="tom")
    request = await embedded.ask("tom")
    field = frame.get_by_label("Name")
    await field.fill("Tom")
    token = embedded.app.token("tom")
    await page.evaluate("() => { inbox.getToken = () => { throw new Error() } }")
    embedded.expire("tom")
    await heard(page, "error", code="token")
    await expect(frame.locator("#signed-out")).to_be_visible()
    await expect(field).to_have_value("Tom")
    await page.evaluate("(token) => (inbox.getToken = () => token)", token)
    await expect(frame.locator("#signed-out")).to_be_hidden()
    await expect(field).to_have_value("Tom")
    await press(frame.locator(f"#request-{request['id']} button[value=accept]"))
    await heard(page, "settled", id=request["id"], action="accept")


async def test_the_frame_of_a_disabled_person_says_so(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="una")
    request = await embedded.ask("una")
    await expect(frame.locator(f"#request-{request['id']}")).to_be_visible()
    user = (await (await embedded.user("una")).json("GET", "/me"))["user_id"]
    headers = {"Authorization": f"Bearer {embedded.served.token}"}
    async with httpx2.AsyncClient(base_url=embedded.served.base, headers=headers) as admin:
        assert (await admin.post(f"/admin/users/{user}/disable")).status_code == 303
        await heard(page, "error", code="disabled_user")
        await heard(page, "pending", count=0)
        said = frame.locator("#frame-state")
        await expect(said).to_have_text(await said.get_attribute("data-disabled") or "-")
        await expect(frame.locator(f"#request-{request['id']}")).to_have_count(0)


async def test_tab_passes_the_frame_and_escape_leaves_it(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="vic")
    first, second = await embedded.ask("vic"), await embedded.ask("vic", "And then?")
    # A deep link of the application.
    await heard(page, "pending", count=2)
    await page.evaluate("(id) => inbox.show(id)", second["id"])
    await expect(frame.locator(f"#title-{second['id']}")).to_be_focused()
    await page.keyboard.press("Escape")
    await heard(page, "leave")
    # In at one side, and out at the other; a question is never focused by itself.
    await page.locator("#before").focus()
    for _ in range(60):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.id") == "after":
            break
    else:
        pytest.fail("Tab never leaves the frame")
    await page.keyboard.press("Shift+Tab")
    await expect(frame.get_by_role("button", name="Open in a tab")).to_be_focused()
    await expect(frame.locator(f"#request-{first['id']}")).to_be_visible()
    assert await page.title() == "Chat"


async def test_a_server_is_muted_and_unmuted_in_the_frame(page: Page, embedded: Embedded) -> None:
    frame = await opened(page, embedded, sub="mia")
    first, second = await embedded.ask("mia"), await embedded.ask("mia", "And then?")
    card = frame.locator(f"#request-{second['id']}")
    await press(card.locator(".card__more > summary"))
    mute = card.locator("[data-mute]")
    await mute.press("Enter")
    confirmation = card.locator(".stack:has([value=mute])")
    await expect(confirmation.locator("p").first).to_be_focused()
    assert await complaints(page, frame=page.frames[1], unfold="none") == []
    await confirmation.locator("[data-keep]").press("Enter")
    await expect(mute).to_be_focused()
    await mute.press("Enter")
    # By a key: the card has grown, and a click can miss a button in a frame that still moves.
    await expect(card).to_have_attribute("data-armed", "")
    await press_until_taken(card, lambda: confirmation.locator("[value=mute]").press("Enter"))
    for each in (first, second):
        await heard(page, "settled", id=each["id"], action="cancel")
    await frame.locator("#muted button").press("Enter")
    await expect(frame.locator("#muted")).to_be_empty()
    again = await embedded.ask("mia", "And now?")
    await expect(frame.locator(f"#request-{again['id']}")).to_be_visible()
