"""How templates write JSON, moments and numbers."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from tests.tables import each_row
from webclient.domain.languages import day
from webclient.domain.model import Json, now
from webclient.web.http.filters import bytes_, compact, distance, pretty, steps


def test_pretty_json_reads_back_as_the_same_value() -> None:
    value = {"ü": [1, 1.5, True, None, "日本\u202e\n"]}
    assert json.loads(pretty(value)) == value
    assert json.loads(compact(value)) == value


def test_json_keeps_letters_and_escapes_what_cannot_be_seen() -> None:
    assert compact("日本 ü") == '"日本 ü"'
    assert compact("a\u202eb\u200b") == '"a\\u202eb\\u200b"'
    assert compact("\ud800") == '"\\ud800"'


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1, seconds=1), "1 minute ago"),
        (timedelta(minutes=7, seconds=1), "7 minutes ago"),
        (timedelta(hours=3, seconds=1), "3 hours ago"),
    ],
)
def test_a_moment_is_said_as_a_distance(passed: timedelta, words: str) -> None:
    assert distance(now() - passed) == words


def test_a_moment_long_ago_is_said_as_its_day() -> None:
    moment = now() - timedelta(days=40)
    assert distance(moment) == day(moment)


@pytest.mark.parametrize(
    ("size", "said"), [(0, "0 B"), (999, "999 B"), (1400, "1.4 kB"), (999_999, "1 MB"), (12_345_678, "12.35 MB")]
)
def test_a_size_is_said_in_three_digits_or_four(size: int, said: str) -> None:
    assert bytes_(size) == said


@each_row(
    ("progress", "said"),
    [
        ({"progress": 1.0, "total": 6.0}, "1 of 6"),
        ({"progress": 0.25, "total": 1}, "0.25 of 1"),
        ({"progress": 3}, "3"),
        ({"progress": 3, "total": 0}, "3"),
        ({"progress": 1, "total": "many"}, "1"),
        ({"progress": True, "total": float("nan")}, ""),
        ({"progress": 10**400, "total": 1}, ""),
        ({}, ""),
    ],
)
def test_progress_is_said_as_people_count(progress: Json, said: str) -> None:
    assert steps(progress) == said
