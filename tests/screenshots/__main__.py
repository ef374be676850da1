"""Takes screenshots of all pages, or of the named ones, into `docs/screenshots`; `make screenshots`."""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from functools import partial
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from playwright.async_api import Browser, Page, async_playwright

from tests.chromium import launched
from tests.mcp_servers import ROOT
from tests.program import Program, program
from tests.screenshots.clock import Clock
from tests.screenshots.company import PEOPLE, come, company, press
from tests.screenshots.guide import take_guide, without_picture
from tests.screenshots.pages import ATTACK, FIRST, MAIN, PROTECTED, SCENE, SHOTS, SIGNED_OUT, USERS, Shot
from tests.screenshots.pictures import drawn_with, save
from tests.screenshots.protected_wiki import protected_wiki
from tests.screenshots.scene import NOW, Scene, servers
from tests.screenshots.video import record

FOLDER = ROOT / "docs/screenshots"
DRAWN_WITH = FOLDER / "drawn-with.txt"
"""The Chromium and the fonts of the pictures."""

LANGUAGES = {"en": "en-US", "zh": "zh-CN"}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDTHS = {1280: 800, 768: 1024, 390: 844}
"""Width and least height of the window in CSS pixels."""

BRIEF = ("en-light-1280", "en-light-390", "zh-dark-1280", "zh-dark-390")
"""The views of what is not a page of its own."""

HIGHEST = 1200
"""The height at which a long page is cut off."""

STEADY = (Path(__file__).parent / "steady.js").read_text("utf-8")
LISTEN = "document.addEventListener('stream:state', ({ detail }) => (document.documentElement.dataset.live = detail))"
"""Makes the state of the stream of changes an attribute of the page."""

GUIDE, VIDEO = "guide", "video"
"""Names all screens of the guided demo, and its video."""

PATIENCE = 60_000
"""Milliseconds after which a page is taken not to come."""


async def main(wanted: Namespace) -> None:
    """Take the pictures of the wanted pages, or of all."""
    # A server that is not pinged has the same messages in its log in each run.
    os.environ["WEBCLIENT_BEAT_SECONDS"] = "3600"
    async with async_playwright() as playwright, launched(playwright, headless_shell=False) as browser:
        _check(wanted, drawn_with(browser))
        for scene, shots in (
            (_demo, SHOTS.keys() - USERS.keys()),
            (_users, USERS.keys()),
            (_guide, {GUIDE}),
            (_video, {VIDEO}),
        ):
            if not wanted.pages or shots & set(wanted.pages):
                with TemporaryDirectory() as folder:
                    clock = Clock(Path(folder) / "clock")
                    clock.set(NOW)
                    await scene(browser, Path(folder), clock, wanted)
    if wanted.into == FOLDER and (missing := without_picture(FOLDER)):
        sys.exit(f"Screens of the guided demo without a picture: {', '.join(missing)}")


def _check(wanted: Namespace, here: str) -> None:
    """Note how the pictures are drawn; raises SystemExit where other fonts would change every one of them."""
    if wanted.into != FOLDER or wanted.pages:
        return
    there = DRAWN_WITH.read_text(encoding="utf-8").strip() if DRAWN_WITH.exists() else "nothing that was noted"
    if here != there and not wanted.all:
        sys.exit(
            f"The pictures were drawn with\n{there}\nand here are\n{here}\n"
            "so all would differ. Name the pages that you changed, as in `python -m tests.screenshots inbox tool`, "
            "or take all again with `make screenshots ARGS=--all`."
        )
    DRAWN_WITH.write_text(f"{here}\n", encoding="utf-8")


async def _demo(browser: Browser, folder: Path, clock: Clock, wanted: Namespace) -> None:
    async with program(folder, "demo", servers(), under=clock.command(), forked=False) as served:
        scene = Scene(served, clock)
        await scene.connect()
        tabs = {language: await _signed_in(browser, served, locale) for language, locale in LANGUAGES.items()}
        take = partial(_take, tabs, served, scene, wanted)
        await take(FIRST)
        await scene.prepare()
        await take(MAIN)
        await scene.run("two")
        await take(SCENE)
        await scene.run("disguised-link")
        await take(ATTACK)
        async with protected_wiki() as address:
            await scene.protect(address)
            await take(PROTECTED)
        for tab in tabs.values():
            await tab.context.clear_cookies()
        await take(SIGNED_OUT)


async def _users(browser: Browser, folder: Path, clock: Clock, wanted: Namespace) -> None:
    async with company(folder, under=clock.command(), forked=False) as served:
        scene = Scene(served, clock)
        for minutes, person in zip((600, 90, 44, 12, 3), PEOPLE, strict=True):
            scene.ago(minutes)
            [user_id] = await come(served, [person])
            scene.ids[person[0]] = user_id
        await press(served, f"/admin/users/{scene.ids['grace']}/disable")
        scene.ago(0)
        scene.ids["user"] = scene.ids["ada"]
        tabs = {language: await _signed_in(browser, served, locale) for language, locale in LANGUAGES.items()}
        await _take(tabs, served, scene, wanted, USERS)


async def _guide(browser: Browser, folder: Path, clock: Clock, wanted: Namespace) -> None:
    # The long trip asks at once.
    os.environ["MCP_DEMO_PACE"] = "0.02"
    async with program(folder, "demo", under=clock.command(), forked=False) as served:
        scene = Scene(served, clock)
        async with served.client() as api:
            for label in ("Demo trips", "Demo office", "Hostile server"):
                await api.server(label)
        tab = await _signed_in(browser, served, LANGUAGES["en"])
        await take_guide(tab, served, scene, wanted.into, STEADY)


async def _video(browser: Browser, folder: Path, _clock: Clock, wanted: Namespace) -> None:
    # With a clock that runs: a card takes an answer after a moment.
    async with program(folder, "demo", forked=False) as served:
        async with served.client() as api:
            await api.server("Demo trips")
        context = await browser.new_context(timezone_id="Europe/Berlin", reduced_motion="reduce")
        await context.add_init_script(LISTEN)
        tab = await context.new_page()
        await tab.goto(served.login)
        await tab.wait_for_selector("main h1")
        await record(browser, served, tab, wanted.into)


async def _signed_in(browser: Browser, served: Program, locale: str) -> Page:
    """Open a tab in a language, where the clock of the scene stands still as well."""
    context = await browser.new_context(locale=locale, timezone_id="Europe/Berlin", reduced_motion="reduce")
    context.set_default_timeout(PATIENCE)
    await context.clock.set_fixed_time(NOW)
    await context.add_init_script(LISTEN)
    tab = await context.new_page()
    await tab.goto(served.login)
    await tab.wait_for_selector("main h1")
    return tab


async def _take(
    tabs: Mapping[str, Page], served: Program, scene: Scene, wanted: Namespace, shots: Mapping[str, Shot]
) -> None:
    for name, shot in shots.items():
        if wanted.pages and name not in wanted.pages:
            continue
        for language, tab in tabs.items():
            await tab.goto(served.base + shot.path.format_map(scene.ids))
            # Its scripts have run then, and what changed meanwhile has come.
            await tab.wait_for_selector("html[data-live=live], body:not(:has(#stream))", state="attached")
            if shot.press:
                await _press(tab, shot, scene)
            # Neither the color scheme nor the width changes more of a page than its style sheets say.
            for scheme, width in product(SCHEMES, WIDTHS):
                if shot.brief and f"{language}-{scheme}-{width}" not in BRIEF:
                    continue
                picture = await _picture(tab, scheme, width)
                save(picture, wanted.into / f"{language}-{scheme}-{width}" / f"{name}.webp")


async def _press(tab: Page, shot: Shot, scene: Scene) -> None:
    # An answer that comes at the moment at which its card is shown is refused.
    scene.ago(-1)
    await tab.locator(shot.press).first.click()
    await tab.wait_for_selector(shot.shows)
    await tab.mouse.move(0, 0)
    scene.ago(0)


async def _picture(tab: Page, scheme: Literal["light", "dark"], width: int) -> bytes:
    """Return a picture of the page as PNG, to its end if it is not too long."""
    await tab.emulate_media(color_scheme=scheme)
    await tab.set_viewport_size({"width": width, "height": WIDTHS[width]})
    whole = await tab.evaluate(STEADY)
    if whole > WIDTHS[width]:
        await tab.set_viewport_size({"width": width, "height": min(whole, HIGHEST)})
    return await tab.screenshot(animations="disabled", caret="hide")


def _wanted() -> Namespace:
    parser = ArgumentParser(prog="python -m tests.screenshots", description="Takes screenshots of all pages.")
    parser.add_argument("pages", nargs="*", choices=[[], *SHOTS, GUIDE, VIDEO], help="only these pages")
    parser.add_argument("--all", action="store_true", help="also if other fonts have drawn the present ones")
    parser.add_argument("--into", type=Path, default=FOLDER, help="another folder")
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main(_wanted()))
