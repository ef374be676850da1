"""Pictures with few colors: without loss, they take less room than pictures with loss, and text stays sharp."""

from __future__ import annotations

from PIL import Image

COLORS = 32
APART = 3
"""Colors that differ by less in each channel count as one; white and the ground of the page differ by more."""

Color = tuple[int, int, int]


def with_few_colors(picture: Image.Image) -> Image.Image:
    """Return an RGB picture with its most important colors only.

    A vivid color counts more than a gray: a green dot is small, and must stay green.
    """
    found: list[tuple[int, Color]] = picture.getcolors(picture.width * picture.height)  # type: ignore[assignment]
    chosen: list[Color] = []
    for _count, color in sorted(found, key=_weight, reverse=True):
        if len(chosen) < COLORS and all(_distance(color, other) > APART for other in chosen):
            chosen.append(color)
    palette = Image.new("P", (1, 1))
    palette.putpalette([channel for color in chosen for channel in color])
    return picture.quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB")


def _weight(counted: tuple[int, Color]) -> int:
    count, color = counted
    return count * (1 + max(color) - min(color))


def _distance(one: Color, other: Color) -> int:
    return max(abs(here - there) for here, there in zip(one, other, strict=True))
