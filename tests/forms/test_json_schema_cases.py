"""The cases of the official JSON Schema test suite that lie within what elicitation allows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row
from webclient.content.forms.validation import check, check_arguments
from webclient.content.forms.values import is_sendable

CASES = json.loads((Path(__file__).parent / "data" / "json-schema-cases.json").read_text("utf-8"))
ONE_PROPERTY = [case for case in CASES if case["class"] != "object"]
WHOLE_FORMS = [case for case in CASES if case["class"] == "object"]


@each_row("case", ONE_PROPERTY)
def test_one_property_gets_the_official_verdict(case: dict[str, Any]) -> None:
    found = check({"type": "object", "properties": {"it": case["schema"]}}, {"it": case["value"]})
    assert (found == {}) is case["valid"]
    assert set(found) <= {"it"}


@pytest.mark.parametrize("case", WHOLE_FORMS, ids=lambda case: case["description"])
def test_a_whole_form_gets_the_official_verdict(case: dict[str, Any]) -> None:
    assert (check_arguments(case["schema"], case["value"]) == {}) is case["valid"]
    if all(map(is_sendable, case["value"].values())):
        assert (check(case["schema"], case["value"]) == {}) is case["valid"]
