"""The silent video of the demo that the README links: pictures of a walk, each for some seconds, as WebM.

Chromium itself records it: the pictures are drawn on a canvas in a second page, whose stream a MediaRecorder encodes.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from pathlib import Path

from playwright.async_api import Browser, Page

from tests.program import Program

NAME = "demo.webm"
"""The file beside the pictures."""

MOST = 2_000_000
"""Bytes that a reader of the README waits for."""

WIDTH, HEIGHT = 1280, 720

RECORD = """async ([frames, width, height]) => {
  const canvas = Object.assign(document.createElement("canvas"), { width, height })
  const paint = canvas.getContext("2d")
  const pictures = await Promise.all(frames.map(async ({ picture }) => {
    const image = new Image()
    image.src = `data:image/png;base64,${picture}`
    await image.decode()
    return image
  }))
  const options = { mimeType: "video/webm;codecs=vp9", videoBitsPerSecond: 400000 }
  const recorder = new MediaRecorder(canvas.captureStream(10), options)
  const parts = []
  recorder.ondataavailable = ({ data }) => parts.push(data)
  const ended = new Promise((done) => (recorder.onstop = done))
  recorder.start()
  for (const [index, { seconds, point }] of frames.entries())
    for (let tick = 0; tick < seconds * 10; tick++) {
      paint.drawImage(pictures[index], 0, 0)
      if (point) {
        paint.beginPath()
        paint.arc(point[0], point[1], 14 + (tick % 10), 0, 7)
        paint.strokeStyle = "#d9480f"
        paint.lineWidth = 5
        paint.stroke()
      }
      await new Promise((next) => setTimeout(next, 100))
    }
  recorder.stop()
  await ended
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
  let text = ""
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}"""
"""Draws each frame ten times a second for its seconds, with a ring where the person presses; returns the film."""


@dataclass(slots=True)
class Film:
    """The frames of a walk through the program `served` in `tab`."""

    tab: Page
    served: Program
    frames: list[dict[str, object]] = field(default_factory=list)

    async def open(self, address: str, seconds: float = 0) -> None:
        """Open a page, and hold it once its scripts run."""
        await self.tab.goto(f"{self.served.base}{address}")
        await self.tab.wait_for_selector("html[data-live=live]", state="attached")
        if seconds:
            await self.hold(seconds)

    async def hold(self, seconds: float, point: tuple[float, float] | None = None) -> None:
        """Add what the tab shows, for so many seconds."""
        picture = b64encode(await self.tab.screenshot(animations="disabled", caret="hide")).decode()
        self.frames.append({"picture": picture, "seconds": seconds, "point": point})

    async def press(self, selector: str, shows: str, seconds: float) -> None:
        """Press what is there, and hold what `shows` after it."""
        button = self.tab.locator(selector).first
        await button.scroll_into_view_if_needed()
        if box := await button.bounding_box():
            await self.hold(1.2, (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2))
        # A card that has just appeared takes no answer yet.
        await self.tab.wait_for_timeout(1000)
        await button.click()
        await self.tab.wait_for_selector(shows)
        await self.tab.wait_for_timeout(500)
        await self.hold(seconds)


async def record(browser: Browser, served: Program, tab: Page, into: Path) -> None:
    """Walk through the demo in `tab`: its beginning, a question, an attack and its end; write the film."""
    await tab.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    film = Film(tab, served)
    await film.open("/demo?present", 5)
    await film.press("[data-guide=run]", "#cards article", 4)
    await film.press("#cards article label:has-text('Yes')", "#cards input:checked", 2)
    await film.press("#cards article button[value=accept]", "#happened h2", 5)
    await film.open("/demo?scene=disguised-link&present")
    await film.press("button:visible:has-text('Run'), .gallery__attack--current:visible", "#cards article", 5)
    await film.press("#cards article button[value=decline]", "#happened h2, #cards [id^=outcome]", 4)
    await film.open("/demo?scene=end&present", 5)
    screen = await browser.new_page()
    made = await screen.evaluate(RECORD, [film.frames, WIDTH, HEIGHT])
    (into / NAME).write_bytes(b64decode(made))
    await screen.close()
