"""Pictures from servers are redrawn or refused, and the cost of drawing is bounded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.pictures.made import HANGS, SVG, nested_uses, pixels, png_that_claims, png_with_wrong_checksum, size_of
from webclient.content.pictures import Drawn, PictureRefusal, Pictures, pictures, process
from webclient.domain.model import ServerKey

pytestmark = pytest.mark.anyio

SERVER: ServerKey = ("ada", "s1")
BOMBER: ServerKey = ("ada", "bomber")


@pytest.fixture
async def drawing() -> AsyncIterator[Pictures]:
    drawing = Pictures()
    yield drawing
    await drawing.close()


async def drawn(drawing: Pictures, data: bytes, box: int = 64) -> Drawn:
    """Return the picture, which must be drawn."""
    found = await drawing.draw(SERVER, data, box, vector=data.lstrip().startswith(b"<"))
    assert isinstance(found, Drawn), found
    return found


async def refused(drawing: Pictures, data: bytes, owner: ServerKey = SERVER) -> PictureRefusal:
    """Return why the picture is refused, which it must be."""
    found = await drawing.draw(owner, data, 64, vector=data.lstrip().startswith(b"<"))
    assert isinstance(found, PictureRefusal)
    return found


@pytest.mark.parametrize("format_name", ["PNG", "JPEG", "GIF", "WEBP", "AVIF"])
async def test_each_format_is_redrawn_within_the_box(drawing: Pictures, format_name: str) -> None:
    """MCP 2025-11-25, Icons: clients MUST support PNG and JPEG, and SHOULD support SVG and WebP."""
    data = pixels(format_name, (400, 200))
    found = await drawn(drawing, data)
    assert size_of(found.data) == (64, 32)
    assert found.media_type == ("image/jpeg" if format_name == "JPEG" else "image/png")
    assert size_of((await drawn(drawing, data, 1600)).data) == (400, 200)


async def test_picture_with_a_wrong_checksum_is_drawn(drawing: Pictures) -> None:
    assert size_of((await drawn(drawing, png_with_wrong_checksum())).data) == (40, 20)


async def test_an_svg_becomes_pixels(drawing: Pictures) -> None:
    found = await drawn(drawing, SVG)
    assert found.media_type == "image/png"
    with Image.open(BytesIO(found.data)) as picture:
        assert picture.size == (64, 32)
        assert picture.convert("RGB").getpixel((32, 16)) == (255, 0, 0)


async def test_of_a_moving_picture_the_first_frame_is_drawn(drawing: Pictures) -> None:
    found = await drawn(drawing, pixels("GIF", frames=30))
    with Image.open(BytesIO(found.data)) as picture:
        assert getattr(picture, "n_frames", 1) == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", PictureRefusal.UNREADABLE),
        (b"<html></html>", PictureRefusal.UNREADABLE),
        (b"<svg", PictureRefusal.UNREADABLE),
        (b"\x89PNG\r\n\x1a\n", PictureRefusal.UNREADABLE),
        (pixels("TIFF"), PictureRefusal.UNREADABLE),
        (png_that_claims(100_000, 100_000), PictureRefusal.LARGE),
        (png_that_claims(2**31 - 1, 1), PictureRefusal.LARGE),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>" + b"<g>" * 100_000, PictureRefusal.UNREADABLE),
        (SVG + b" " * 2_000_000, PictureRefusal.LARGE),
    ],
)
async def test_a_picture_that_cannot_be_drawn_says_why(drawing: Pictures, data: bytes, reason: PictureRefusal) -> None:
    assert await refused(drawing, data) is reason
    await drawn(drawing, SVG)


async def test_an_svg_of_nested_uses_ends_in_time(drawing: Pictures) -> None:
    bomb = nested_uses()
    assert len(bomb) < 3000
    assert await refused(drawing, bomb) in (PictureRefusal.UNREADABLE, PictureRefusal.COSTLY)


async def test_a_slow_picture_is_given_up_and_remembered(drawing: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    await drawn(drawing, SVG)
    monkeypatch.setattr(process, "SECONDS", 0.3)
    assert await refused(drawing, HANGS) is PictureRefusal.COSTLY
    monkeypatch.setattr(process, "SECONDS", 30)
    # Not tried again, so it does not hang for longer now.
    assert await refused(drawing, HANGS) is PictureRefusal.COSTLY
    await drawn(drawing, pixels("PNG"))


async def test_a_server_that_sends_bombs_is_no_longer_drawn(drawing: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    await drawn(drawing, SVG)
    monkeypatch.setattr(process, "SECONDS", 0.2)
    for n in range(pictures.STRIKES):
        assert await refused(drawing, HANGS + b"<!---->" * n, BOMBER) is PictureRefusal.COSTLY
    monkeypatch.setattr(process, "SECONDS", 30)
    assert await refused(drawing, pixels("PNG"), BOMBER) is PictureRefusal.PENALTY
    await drawn(drawing, pixels("PNG"))
    monkeypatch.setattr(pictures, "PENALTY", 0)
    assert isinstance(await drawing.draw(SERVER, pixels("GIF"), 64, vector=False), Drawn)
    assert not drawing._last_strike


async def test_a_crowd_of_pictures_is_refused(drawing: Pictures) -> None:
    drawing._waiting.share = 2
    answers = await asyncio.gather(
        *(drawing.draw(SERVER, pixels("PNG", (10, 10 + n)), 64, vector=False) for n in range(5))
    )
    assert sorted(answer is PictureRefusal.BUSY for answer in answers) == [False, False, True, True, True]


async def test_an_svg_reads_no_file_of_this_machine(drawing: Pictures, tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(pixels("PNG", (24, 12)))
    for name in ("href", "xlink:href"):
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 24 12">'
            f'<image {name}="{tmp_path}/secret.png" width="24" height="12"/></svg>'
        )
        with Image.open(BytesIO((await drawn(drawing, svg.encode())).data)) as picture:
            assert picture.convert("RGBA").getpixel((32, 16)) == (0, 0, 0, 0)


async def test_remembered_pictures_are_bounded(drawing: Pictures, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "REMEMBERED", 3)
    for n in range(6):
        await drawn(drawing, pixels("PNG", (10, 10 + n)))
    assert len(drawing._known) == 3


async def test_the_process_ends_when_there_is_nothing_to_draw(
    drawing: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "IDLE", 0.01)
    await drawn(drawing, SVG)
    child = drawing._process._process
    assert child
    await child.wait()
    await drawn(drawing, pixels("PNG"))


async def test_a_flood_of_one_users_pictures_leaves_the_turn_to_others(
    drawing: Pictures, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[str] = []
    first = asyncio.Event()

    async def draw(data: bytes, _box: int, *, vector: bool) -> tuple[bool, bytes]:  # noqa: ARG001
        turns.append(data.decode()[0])
        await first.wait()
        return True, data

    monkeypatch.setattr(drawing._process, "draw", draw)
    flood = [drawing.draw(("mallory", "s"), b"m%d" % number, 64, vector=False) for number in range(150)]
    sent = [asyncio.create_task(each) for each in flood]
    busy = await asyncio.gather(*sent[pictures.WAITING :])
    hers = asyncio.create_task(drawing.draw(SERVER, b"ada", 64, vector=False))
    await asyncio.sleep(0)
    first.set()
    assert isinstance(await hers, Drawn)
    assert set(busy) == {PictureRefusal.BUSY}
    assert PictureRefusal.BUSY not in await asyncio.gather(*sent[: pictures.WAITING])
    # One was being drawn already, and one more of mallory's waited for the turn.
    assert "a" in turns[:3]
