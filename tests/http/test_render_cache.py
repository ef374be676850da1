"""A part that shows the same is rendered once for all pages, and not for long."""

from __future__ import annotations

import pytest

from webclient.web.http import render_cache
from webclient.web.http.render_cache import RenderCache


class Counter:
    """Renders, and counts how often."""

    def __init__(self, text: str = "x") -> None:
        self.text = text
        self.times = 0

    def __call__(self) -> str:
        self.times += 1
        return self.text


def test_equal_objects_share_one_rendering() -> None:
    cache, render = RenderCache(), Counter()
    assert [cache.get("a", {"label": "it"}, render) for _page in range(3)] == ["x", "x", "x"]
    assert render.times == 1


def test_a_changed_object_is_rendered_again() -> None:
    cache, render = RenderCache(), Counter()
    for label in ("it", "that", "that"):
        cache.get("a", {"label": label}, render)
    assert render.times == 2


def test_an_old_part_is_rendered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cache, render = RenderCache(), Counter()
    cache.get("a", 1, render)
    monkeypatch.setattr(render_cache, "LIFETIME", -1)
    cache.get("a", 1, render)
    assert render.times == 2


def test_the_least_recently_used_part_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(render_cache, "MOST", 20)
    cache, render = RenderCache(), Counter("ten chars.")
    for key in ("a", "b", "a", "c", "a"):
        cache.get(key, 1, render)
    assert render.times == 3
    cache.get("b", 1, render)
    assert render.times == 4
