"""The measurements measure what their names say, and their verdicts follow their rules."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench import forms
from bench.soak import MOST_GROWTH, SAMPLE, Sample, Verdict, verdict_on
from webclient.content.forms import check

ROOT = Path(__file__).parents[1]


def test_forms_are_measured_as_the_diary_lists_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "TIMES", 1)
    page = (ROOT / "docs" / "performance-diary.md").read_text(encoding="utf-8")
    measures = forms.measure()
    assert len(measures) == 2 * len(forms.cases())
    assert [each.name for each in measures if f"| {each.name} |" not in page] == []


def test_a_measured_form_is_whole_and_its_answer_valid() -> None:
    # Without this, a template that leaves all fields out, or a check that checks nothing, would be a fast one.
    for name, (schema, answer) in forms.cases().items():
        html = forms.html_of(schema)
        properties = schema["properties"]
        controls = re.findall(r"<(?:input|select|textarea|fieldset)\b", html)
        assert len(controls) >= len(properties), name
        assert html.count("<option") >= sum(len(each.get("enum", ())) > 10 for each in properties.values()), name
        assert check(schema, answer) == {}
        assert set(check(schema, {})) == set(schema["required"]), name


def samples(minutes: float, growth: Sequence[float], *, noise: float = 1.0, files: int = 50) -> list[Sample]:
    """Return samples of a run whose equal parts grow by so many megabytes a minute."""
    chance, megabytes, found = random.Random(7), 150.0, []  # noqa: S311  (noise)
    count = int(minutes * 60 / SAMPLE)
    for number in range(count):
        megabytes += growth[number * len(growth) // count] * SAMPLE / 60
        found.append(Sample(number * SAMPLE, megabytes + chance.uniform(-noise, noise), files, number))
    return found


@pytest.mark.parametrize(
    ("minutes", "growth", "expected"),
    [
        (5, [0.0], Verdict.FLAT),
        (8, [MOST_GROWTH / 3], Verdict.FLAT),
        # Growth of the first minutes, when caches fill, is not a leak.
        (6, [20, 0, 0], Verdict.FLAT),
        (5, [9.0], Verdict.NOT_FLAT),
        (8, [MOST_GROWTH * 2], Verdict.NOT_FLAT),
        (30, [20, 0, 0, MOST_GROWTH * 2, MOST_GROWTH * 2], Verdict.NOT_FLAT),
        (2, [0.0], Verdict.TOO_SHORT),
        (2, [9.0], Verdict.TOO_SHORT),
    ],
)
def test_memory_is_flat_if_its_slope_after_a_warm_up_is(
    minutes: float, growth: Sequence[float], expected: Verdict
) -> None:
    assert verdict_on(samples(minutes, growth)) is expected


def test_one_high_sample_changes_no_verdict() -> None:
    high = samples(5, [0.0])
    high[-1] = Sample(high[-1].seconds, 400.0, 50, 99)
    assert verdict_on(high) is Verdict.FLAT


def test_open_files_that_become_more_are_not_flat() -> None:
    growing = [Sample(each.seconds, 150.0, 50 + number, number) for number, each in enumerate(samples(5, [0.0]))]
    assert verdict_on(growing) is Verdict.NOT_FLAT
