"""How long a form takes from schema to HTML, and how long the verdict on an answer to it.

The yardsticks: the schema once through JSON and back, and the bare validator's verdict on the same answer.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import jsonschema_rs

from bench.measures import Measure
from webclient.content.forms.fields import read_form
from webclient.content.forms.validation import check
from webclient.demo.every_field import EveryField
from webclient.domain.model import Json
from webclient.web.http.templating import render_text

TIMES = 50

THIRTEEN: Json = {
    "code": "ABC-123",
    "email": "ada@example.com",
    "website": "https://example.com",
    "departure": "2026-07-01",
    "meeting": "2026-07-01T09:30:00+02:00",
    "budget": 12.5,
    "travellers": 3,
    "insurance": True,
    "season": "autumn",
    "travel_class": "business",
    "seat": "C",
    "meals": ["breakfast", "lunch"],
    "extras": ["bag"],
}
"""An answer to the form of the demo that has a field of every kind."""

KINDS: list[tuple[Json, Any]] = [
    ({"type": "string", "title": "Name", "minLength": 1, "maxLength": 50}, "Ada"),
    ({"type": "string", "format": "email"}, "ada@example.com"),
    ({"type": "string", "format": "date"}, "2026-07-01"),
    ({"type": "integer", "minimum": 1, "default": 2}, 3),
    ({"type": "number"}, 12.5),
    ({"type": "boolean", "default": False}, True),
    ({"type": "string", "enum": ["spring", "summer", "autumn", "winter"]}, "autumn"),
    ({"type": "array", "items": {"enum": ["breakfast", "lunch", "dinner"]}, "minItems": 1}, ["lunch"]),
]
OPTIONS = [f"Option {n}" for n in range(1_000)]


def measure() -> list[Measure]:
    """Return the measures."""
    return [each for name, (schema, answer) in cases().items() for each in _of(name, schema, answer)]


def cases() -> dict[str, tuple[Json, Json]]:
    """Return the measured forms by name, each with a valid answer."""
    fields = {f"field{n}": KINDS[n % len(KINDS)] for n in range(500)}
    many = _schema({name: schema for name, (schema, _value) in fields.items()})
    return {
        "13 fields": (EveryField.model_json_schema(), THIRTEEN),
        "500 fields": (many, {name: value for name, (_schema, value) in fields.items()}),
        "1,000 options": (_schema({"choice": {"enum": OPTIONS}}), {"choice": OPTIONS[-1]}),
    }


def _of(name: str, schema: Json, answer: Json) -> list[Measure]:
    assert check(schema, answer) == {}
    html, through_json = _milliseconds(lambda: html_of(schema)), _milliseconds(lambda: json.loads(json.dumps(schema)))
    verdict, bare = _milliseconds(lambda: check(schema, answer)), _milliseconds(lambda: _bare(schema, answer))
    return [
        Measure(f"{name}, schema to HTML, against JSON and back", html, through_json, "ms"),
        Measure(f"{name}, verdict, against the bare validator", verdict, bare, "ms"),
    ]


def _schema(properties: Json) -> Json:
    return {"type": "object", "properties": properties, "required": list(properties)}


def html_of(schema: Json) -> str:
    """Return the fields of a form, as its card first shows them."""
    return render_text("forms/_fields.html", form=read_form(schema), scope="bench", **_PLAIN)


_PLAIN: Json = {"texts": None, "errors": {}, "inside": {}, "edits": None, "focus": None, "masked": ()}
"""A form as its card first shows it."""


def _bare(schema: Json, answer: Json) -> bool:
    return jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(answer)


def _milliseconds(work: Callable[[], object]) -> float:
    """The first time, which fills caches that last as long as the process, is not counted."""
    work()
    seconds = []
    for _each in range(TIMES):
        started = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - started)
    return median(seconds) * 1000
