"""The pictures as files: one is written only if it looks different from the one that is there."""

from __future__ import annotations

import subprocess
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageChops
from playwright.async_api import Browser

from tests.screenshots.palette import with_few_colors

APART = 24
"""By how much of 255 a channel of two pixels may differ, as edges of letters do from run to run."""

FEW = 6
"""How many pixels may differ by more: less than a letter has."""

FONTS = ("sans-serif", "monospace", "sans-serif:lang=zh-cn")
"""The families of the style sheets, for which each system has its own fonts."""


def save(picture: bytes, path: Path) -> None:
    """Save a PNG as WebP, if it differs visibly from the picture in that place."""
    new = with_few_colors(Image.open(BytesIO(picture)).convert("RGB"))
    if path.exists() and not differ(Image.open(path), new):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    new.save(path, "webp", lossless=True, quality=50, method=4)


def differ(one: Image.Image, other: Image.Image) -> bool:
    """Return whether a person could see a difference between two pictures."""
    if one.size != other.size:
        return True
    red, green, blue = ImageChops.difference(one.convert("RGB"), other.convert("RGB")).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return sum(most.histogram()[APART + 1 :]) > FEW


def drawn_with(browser: Browser) -> str:
    """Return what decides how a page is drawn: the version of Chromium, and the fonts."""
    found = (_output("fc-match", "--format", "%{family[0]} %{fontversion}", family) for family in FONTS)
    fonts = [f"{family}: {font}" for family, font in zip(FONTS, found, strict=True)]
    return "\n".join([f"Chromium {browser.version}", *fonts])


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True, encoding="utf-8").stdout
