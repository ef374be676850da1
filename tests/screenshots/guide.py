"""The screens of the guided demo as pictures: its first and last, and each scene with its question, in three sizes."""

from __future__ import annotations

from pathlib import Path

from playwright.async_api import Page

from tests.program import Program
from tests.screenshots.pictures import save
from tests.screenshots.scene import OTHER_DAY, Scene
from webclient.web.pages.guide.scenes import all_scenes

SIZES = ((1280, 720), (1440, 900), (390, 844))
"""Windows in CSS pixels; a picture shows what is in sight."""

ANSWERED, PRESENTED = "book-answered", "book-presented"

ALL_COME = {"flood": "#scene:has-text('247 more'):has-text('50 questions')"}
"""The element of a page once all questions of a scene have come, if that is more than a card."""


def screens() -> list[str]:
    """Return the names of all screens, of which each has a picture in each size."""
    return ["start", *(scene.key for scene in all_scenes()), ANSWERED, PRESENTED, "end"]


def picture_of(folder: Path, screen: str, width: int) -> Path:
    """Return the place of a picture."""
    return folder / f"guide-{width}" / f"{screen}.webp"


def without_picture(folder: Path) -> list[str]:
    """Return the pictures that are missing in `folder`."""
    places = [picture_of(folder, screen, width) for screen in screens() for width, _height in SIZES]
    return [f"{place.parent.name}/{place.name}" for place in places if not place.exists()]


async def take_guide(tab: Page, served: Program, scene: Scene, into: Path, steady: str) -> None:
    """Take the picture of each screen, running each scene in turn."""

    async def take(screen: str, address: str, shows: str = "main h1") -> None:
        for width, height in SIZES:
            await tab.set_viewport_size({"width": width, "height": height})
            await tab.goto(f"{served.base}/demo?scene={address}")
            await tab.wait_for_selector(shows)
            await tab.wait_for_selector("html[data-live=live]", state="attached")
            await tab.evaluate(steady)
            save(await tab.screenshot(animations="disabled", caret="hide"), picture_of(into, screen, width))

    await take("start", "start")
    for key in (each.key for each in all_scenes()):
        await scene.run(key)
        await take(key, key, ALL_COME.get(key, "#cards article"))
        if key == "book":
            await take(PRESENTED, f"{key}&present", "#cards article")
        await scene.stop(key)
    await scene.run("book")
    async with served.client() as api:
        [request] = (await api.json("GET", "/requests", params={"state": "pending"}))["requests"]
        await api.answer(request, action="accept", content=OTHER_DAY)
    await take(ANSWERED, "book", "#happened h2")
    await take("end", "end")
