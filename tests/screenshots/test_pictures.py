"""A picture is written again only if a person could see why."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from tests.mcp_servers import ROOT
from tests.screenshots.pictures import differ, save
from tests.screenshots.video import MOST, NAME


def page(text: str = "Send answer", *, ground: int = 250, width: int = 300) -> Image.Image:
    """Return a picture of a page with a button."""
    picture = Image.new("RGB", (width, 100), (ground, ground, ground))
    ImageDraw.Draw(picture).text((20, 40), text, fill=(20, 20, 120))
    return picture


def png(picture: Image.Image) -> bytes:
    file = BytesIO()
    picture.save(file, "png")
    return file.getvalue()


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (page(), False),
        # Antialiasing, and the ground by a hair.
        (page(ground=248), False),
        (page("Send answers"), True),
        (page("Send answer."), False),
        (page("Send"), True),
        (page(ground=200), True),
        (page(width=301), True),
    ],
)
def test_a_difference_counts_if_a_person_could_see_it(other: Image.Image, *, expected: bool) -> None:
    assert differ(page(), other) is expected


def test_a_picture_that_looks_the_same_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "en" / "inbox.webp"
    save(png(page()), path)
    before = path.read_bytes()
    save(png(page(ground=249)), path)
    assert path.read_bytes() == before
    save(png(page("Decline")), path)
    assert path.read_bytes() != before
    assert differ(Image.open(path), page()) is True


def test_the_readme_leads_to_a_small_video() -> None:
    film = ROOT / "docs/screenshots" / NAME
    # RFC 8794, section 8.1: the first element of an EBML document.
    assert film.read_bytes()[:4] == b"\x1a\x45\xdf\xa3"
    assert film.stat().st_size < MOST
    assert f"](docs/screenshots/{NAME})" in (ROOT / "README.md").read_text("utf-8")
