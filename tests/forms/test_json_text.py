"""JSON as people write it: what is refused, with which sentence, and that writing and reading go together."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tables import each_row
from webclient.content.forms.writing.json_text import LONGEST_JSON, read_json, write_json


@each_row(
    ("text", "said"),
    [
        ('{"a": NaN}', "NaN is not a number in JSON"),
        ("[-Infinity]", "-Infinity is not a number"),
        ('{"a": 1e999}', "1e999: This number is too large"),
        ('{"a": ' + "9" * 400 + "}", "too long to be sent"),
        ('{"a": 0.10000000000000000001}', "Enter 0.1"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "“c” appears twice"),
        ("[" * 61 + "]" * 61, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        (" " * (LONGEST_JSON + 1), "too long"),
        ('{"a": 1,}', "line 1, character 8: No comma follows the last"),
        ('{"a": [1,\n  ]}', "line 1, character 9: No comma follows the last"),
        ("{,}", "line 1, character 2: A name in double quotes"),
        ("[1,,2]", "line 1, character 4: A value is expected"),
        ('{"a": 1,', "line 1, character"),
        ("{'a': 1}", "A name in double quotes"),
        ('{"a" 1}', "A colon"),
        ('{"a": 1 "b": 2}', "A comma or the end"),
        ('{"a":\n  }', "line 2, character 3: A value is expected"),
        ('{"a": "x', "does not end"),
        ('{"a": "x\ny"}', "A line break in a text is written \\n"),
        ('{"a": "\\q"}', "A backslash in a text is written \\\\"),
        ("{} {}", "Nothing more"),
        ("\ufeff{}", "cannot be read"),
    ],
)
def test_invalid_or_lossy_json_is_refused_with_a_sentence(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        read_json(text)


def test_types_and_every_digit_survive() -> None:
    text = '{"whole": 12345678901234567890, "float": 1.0, "text": "1", "yes": true, "none": null, "e": 1e3}'
    assert repr(read_json(text)) == (
        "{'whole': 12345678901234567890, 'float': 1.0, 'text': '1', 'yes': True, 'none': None, 'e': 1000.0}"
    )


def test_sixty_levels_are_read_and_blank_text_is_an_empty_object() -> None:
    assert write_json(read_json("[" * 60 + "]" * 60), indent=None) == "[" * 60 + "]" * 60
    assert read_json(" \n") == {}


def test_invisible_characters_are_escaped_and_letters_readable() -> None:
    assert write_json({"a": "名\u202eb\0\n"}) == '{\n  "a": "名\\u202eb\\u0000\\n"\n}'


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


@settings(deadline=None, derandomize=True, max_examples=100)
@given(JSON)
def test_written_json_reads_back_unchanged(value: Any) -> None:
    assert json.dumps(read_json(write_json(value))) == json.dumps(value)
