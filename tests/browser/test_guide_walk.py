"""The guided demo from its first scene to its last with the keyboard, in both languages.

In every state of every scene, in both languages, the page fits a phone, and each action moves the focus to where the
user continues. In English, Tab reaches every control with a visible focus, and axe finds nothing: in light or in dark,
which take turns from state to state and from scene to scene, as scenes are made of the same parts. In Chinese the
words are shorter or longer, and nothing else differs: axe looks at the whole page once (and at other pages in
`test_languages.py`), buttons are focused without the way to them, and the flood, all of whose parts other scenes have,
is not run again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import cycle

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.axe import RULES, View, complaints
from tests.browser.guide import Guide
from tests.browser.keyboard import Keyboard
from tests.browser.person import Person
from tests.program import Program, program
from webclient.web.pages.guide.scenes import all_scenes, chapters

pytestmark = pytest.mark.anyio

PHONES = (320, 390)
VIEWS = (View("light", PHONES[-1], RULES), View("dark", PHONES[-1], RULES))
SCENE = "#scene"
FLOOD = "flood"
ON_DEMAND = [scene.key for scene in chapters()[-1].more]
"""The attacks that come after the last screen."""

MENUS = ".card__more, .outcome__more"


class Shortened(Keyboard):
    """A keyboard whose user is at each control at once."""

    async def go_to(self, target: Locator) -> None:
        """Put the focus on `target`."""
        await target.focus()

    async def choose(self, radio: Locator) -> None:
        """Put the focus on a radio button, and choose it."""
        await radio.focus()
        await self.press("Space")


class Walker(Guide):
    """A person with the keyboard alone, who looks at each state of the guide."""

    def __init__(self, person: Person, *, is_translated: bool) -> None:
        super().__init__(person)
        self.keyboard = Shortened(self.page) if is_translated else Keyboard(self.page)
        self.is_translated = is_translated
        self.scenes = 0
        self.views: Iterator[View] = cycle(VIEWS)

    async def begin(self) -> None:
        """Open the guide, look at the whole page, and reset it."""
        await self.open()
        await self.person.live()
        for colors in ("active", "none"):
            await self.page.emulate_media(forced_colors="active" if colors == "active" else "none")
            assert await self.keyboard.walk() == [], colors
        assert await complaints(self.page) == []
        await self.keyboard.go_to(self.page.locator("form[action='/demo/reset'] button"))
        await self.keyboard.press("Enter")
        await expect(self.page.locator("[data-seen='0']")).to_have_count(len(chapters()))

    async def start(self, scene: str) -> None:
        """Run the scene that is shown, and look at its first card."""
        await self.person.live()
        await self.keyboard.press("Enter")
        await expect(self.card).to_be_visible()
        self.views = cycle(VIEWS if self.scenes % 2 else reversed(VIEWS))
        self.scenes += 1
        if not self.is_translated:
            await self.walk(scene)
        await self.look()

    async def walk(self, scene: str) -> None:
        """Go to every control of the scene that runs."""
        if scene == FLOOD:
            # All have come, and three are shown. The messages are too many for a walk.
            await expect(self.page.locator("#scene-waiting")).to_contain_text("247")
        elif scene == "task":
            # It asks again and again how the task stands, so the messages do not end.
            assert await self.keyboard.walk(SCENE) == [], scene
        else:
            # The call, and its question.
            await expect(self.page.locator("#wire-log-messages > li")).to_have_count(2)
            assert await self.keyboard.walk(SCENE) == [], scene

    async def look(self) -> None:
        """Check what the scene shows now."""
        for width in PHONES:
            await self.page.set_viewport_size({"width": width, "height": 844})
            assert await self.page.evaluate("document.documentElement.scrollWidth") == width
        if not self.is_translated:
            views = [next(self.views)]
            assert await complaints(self.page, unfold=MENUS, views=views, within=SCENE) == []

    async def press_answer(self, action: str) -> None:
        """Go to a button of the first card with Tab, and press it."""
        button = self.button(action)
        await self.keyboard.go_to(button)
        await self.press_when_ready(button)

    async def press_when_ready(self, button: Locator, key: str = "Enter") -> None:
        """Press the button that has the focus, or the key that presses it."""
        await self.person.takes_keys(button)
        await self.keyboard.press(key)

    async def decline(self) -> None:
        """Decline with the shortcut."""
        await self.keyboard.press("d")
        await expect(self.button("decline")).to_be_focused()
        await self.press_when_ready(self.button("decline"))

    def button(self, action: str) -> Locator:
        """Return a button of the first card."""
        return self.card.locator(f"button[name=action][value={action}]")

    async def end(self, code: str) -> None:
        """See what happened, with the focus still among the cards."""
        await self.happened(code)
        await expect(self.page.locator("#cards :focus")).to_have_count(1)
        await self.look()

    async def go_on(self, scene: str) -> None:
        """Go to the next scene, which is this one, with the arrow; from the last screen, by its address."""
        await self.keyboard.press("ArrowRight")
        if scene == ON_DEMAND[0]:
            await expect(self.page.locator(".guide__own")).to_be_visible()
            assert await complaints(self.page, views=VIEWS[:1]) == []
            await self.open(scene)
            await self.person.live()
        await expect(self.page.locator(f"#scene-status input[name=scene][value={scene}]")).to_be_attached()

    async def see_polls_folded(self) -> None:
        """Unfold the polls of a task; they are one row, and what they brought is open."""
        summary = self.page.locator(".scene__messages > summary")
        await self.keyboard.go_to(summary)
        await self.keyboard.press("Enter")
        first = self.page.locator("#wire-log-messages > [data-poll]:has(.wire-message__times:visible)").first
        await expect(first).to_be_visible()
        await expect(self.page.locator("[data-requests] > details[open]").first).to_be_visible()
        shown = self.page.locator("#wire-log-messages > [data-poll]:visible")
        folded = await shown.count()
        await self.keyboard.go_to(first.locator("summary"))
        await self.keyboard.press("Enter")
        await expect(first.locator("pre")).to_be_visible()
        await expect(shown).not_to_have_count(folded)
        await self.keyboard.go_to(summary)

    @asynccontextmanager
    async def elsewhere(self) -> AsyncIterator[tuple[Page, Keyboard]]:
        """Open the link of the card, and return its tab and the keyboard there."""
        async with self.page.context.expect_page() as opening:
            await self.press_answer("accept")
        tab = await opening.value
        await expect(tab.get_by_role("heading").first).to_be_visible()
        await expect(self.page.locator("#cards [data-state=waiting]")).to_be_visible()
        await self.look()
        await tab.bring_to_front()
        yield tab, Keyboard(tab)
        await expect(tab.locator(".demo__done")).to_be_visible()
        await tab.close()
        await self.page.bring_to_front()


async def _book(walker: Walker) -> None:
    if not walker.is_translated:
        assert await complaints(walker.page, unfold=MENUS, views=VIEWS[:1], within=SCENE) == []
    await walker.keyboard.choose(walker.card.locator("input[type=radio]").first)
    await walker.press_when_ready(walker.button("accept"), "Control+Enter")
    await walker.end("gave")


async def _two(walker: Walker) -> None:
    await walker.keyboard.go_to(walker.card.locator("input, select").first)
    await walker.press_when_ready(walker.button("accept"), "Control+Enter")
    await expect(walker.page.locator("#cards [data-state=accepted]:focus")).to_be_visible()
    await walker.look()
    await walker.keyboard.choose(walker.card.locator("input[type=radio]").first)
    await walker.press_answer("accept")
    await walker.end("gave_all")


async def _fields(walker: Walker) -> None:
    code = walker.card.get_by_label("Booking code")
    await walker.keyboard.fill(code, "wrong")
    await walker.press_when_ready(walker.button("accept"), "Control+Enter")
    await expect(code).to_have_attribute("aria-invalid", "true")
    await expect(code).to_be_focused()
    await walker.look()
    await walker.keyboard.press("Control+a")
    await walker.keyboard.write("XYZ-42")
    await walker.press_when_ready(walker.button("accept"), "Control+Enter")
    await walker.end("gave")


async def _task(walker: Walker) -> None:
    await walker.keyboard.choose(walker.card.locator("input[type=radio]").first)
    await walker.press_when_ready(walker.button("accept"), "Control+Enter")
    await expect(walker.page.locator("#cards [data-state=accepted]:focus")).to_be_visible()
    await walker.look()
    nights = walker.card.get_by_label("Nights")
    await expect(nights).to_be_visible()
    await walker.keyboard.go_to(nights)
    await walker.press_when_ready(walker.button("accept"), "Control+Enter")
    await expect(walker.page.locator("#happened pre")).to_contain_text('"nights": 3')
    await walker.end("gave_some")
    if not walker.is_translated:
        await walker.see_polls_folded()


async def _sign_in(walker: Walker) -> None:
    async with walker.elsewhere() as (tab, keyboard):
        for step in ("Sign in as Alice", "Continue to Demo Drive", "alice@drive.example", "Allow"):
            await keyboard.go_to(tab.get_by_role("button", name=step, exact=True))
            await keyboard.press("Enter")
    await walker.end("visited")


async def _key(walker: Walker) -> None:
    async with walker.elsewhere() as (tab, keyboard):
        await keyboard.fill(tab.get_by_label("Key"), "nobody-sees-this")
        await keyboard.press("Enter")
    await walker.end("visited")


async def _model(walker: Walker) -> None:
    for turn in (1, 2):
        run = walker.card.locator("button[name=step][value=run]").first
        await walker.keyboard.go_to(run)
        await walker.press_when_ready(run)
        await expect(walker.page.locator("#cards article[data-stage=reviewing]")).to_be_visible()
        await walker.look()
        await walker.press_answer("accept")
        await expect(walker.page.locator("#cards [data-state=accepted]")).to_have_count(turn)
    await walker.end("sampled")


async def _decline(walker: Walker) -> None:
    attack = await walker.page.locator("#attack").get_attribute("data-attack")
    await expect(walker.button("accept")).to_have_count(0 if attack == "script-link" else 1)
    await walker.decline()
    await walker.end("declined")


async def _password(walker: Walker) -> None:
    await walker.keyboard.go_to(walker.card.locator(".folded-form > summary"))
    await walker.keyboard.press("Enter")
    await walker.keyboard.fill(walker.card.get_by_label("Email", exact=True), "ada@example.com")
    await walker.keyboard.fill(walker.card.get_by_label("Password", exact=True), "correct horse")
    await walker.press_answer("accept")
    await expect(walker.card.locator("input[name=confirmed]")).to_be_visible()
    await walker.look()
    await walker.decline()
    await expect(walker.page.locator("#cards [id^=undo-] button")).to_be_focused()
    await walker.look()
    # Declined elsewhere too, it is sent before the time to undo it is over.
    [request] = (await walker.person.api.json("GET", "/requests", params={"state": "pending"}))["requests"]
    await walker.person.api.answer(request, action="decline")
    await walker.end("declined")


async def _second_click(walker: Walker) -> None:
    await walker.keyboard.press("a")
    await expect(walker.button("accept")).to_be_focused()
    await walker.press_when_ready(walker.button("accept"))
    await walker.keyboard.press("Enter")
    await expect(walker.card).to_contain_text("5,000 EUR")
    await walker.look()
    await walker.decline()
    await walker.end("agreed")


async def _endless(walker: Walker) -> None:
    await walker.decline()
    await expect(walker.page.locator("#cards [data-state=declined]")).to_have_count(1)
    await walker.keyboard.go_to(walker.page.locator("form[action='/demo/stop'] button"))
    await walker.keyboard.press("Enter")
    await walker.happened("stopped")
    await walker.look()


async def _flood(walker: Walker) -> None:
    await expect(walker.page.locator("#cards article")).to_have_count(3)
    await walker.keyboard.go_to(walker.page.locator("form[action='/demo/decline-all'] button"))
    await walker.keyboard.press("Enter")
    await expect(await walker.happened("nothing")).to_contain_text("300")
    await walker.look()


WAYS: dict[str, Callable[[Walker], Awaitable[None]]] = {
    "book": _book,
    "two": _two,
    "fields": _fields,
    "task": _task,
    "sign-in": _sign_in,
    "key": _key,
    "model": _model,
    "agent": _book,
    "password-form": _password,
    "second-click": _second_click,
    "endless-requests": _endless,
    FLOOD: _flood,
}
"""How a person goes through a scene; through the others, by declining."""


@pytest.fixture(scope="module")
async def served(anyio_backend: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Program]:  # noqa: ARG001
    """The demo, with time enough for undoing on any machine: nothing here waits for its end."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEBCLIENT_UNDO_SECONDS", "60")
        # In the demo an approval is sent at once all the same.
        environment.setenv("WEBCLIENT_UNDO_APPROVAL_SECONDS", "60")
        environment.setenv("MCP_DEMO_PACE", "0.02")
        async with program(tmp_path_factory.mktemp("guide"), "demo") as served:
            yield served


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
async def test_the_keyboard_alone_goes_through_every_scene(chromium: Browser, person: Person, locale: str) -> None:
    """The hostile server says at the end what it got."""
    context = await chromium.new_context(locale=locale, viewport={"width": 390, "height": 844}, reduced_motion="reduce")
    alone = Person(await context.new_page(), person.served, person.api)
    walker = Walker(alone, is_translated=locale == "zh-CN")
    await walker.person.sign_in()
    await walker.begin()
    scenes = [scene.key for scene in all_scenes()]
    for scene, following in zip(scenes, [*scenes[1:], ""], strict=True):
        if walker.is_translated and scene == FLOOD:
            await walker.look()
            continue
        await walker.start(scene)
        await WAYS.get(scene, _decline)(walker)
        if following:
            await walker.go_on(following)
    report = await person.api.call("Hostile server", "report")
    assert (await person.result(report["id"]))["structuredContent"]["stolen"] == []
    assert walker.person.complaints == []
    await context.close()
