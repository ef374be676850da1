"""A frontmatter agrees with what readers of YAML make of it, and with nothing else."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from webclient.domain.model import Json
from webclient.servers.skills.frontmatter import agrees, body_of

SAME: list[tuple[str, object]] = [
    ("1.0", 1.0),
    ("1.0", 1),
    ("1.0", "1.0"),
    ('"1.0"', "1.0"),
    ("1e3", 1000),
    ("0777", 777),
    ("0777", 511),
    ("0x1F", 31),
    ("1_000", 1000),
    ("1:30", 90),
    ("no", False),
    ("no", "no"),
    ("True", True),
    ("", None),
    ("~", None),
    ("2026-10-01", "2026-10-01"),
    ("2026-10-01", "2026-10-01T00:00:00.000Z"),
    ("[a, 2]", ["a", 2]),
    ("{a: {b: yes}}", {"a": {"b": True}}),
    (">\n  one\n  two\n", "one two\n"),
    ("'no'", "no"),
]
OTHER: list[tuple[str, object]] = [
    ("1.0", 2),
    ("1.0", "1"),
    ('"1.0"', 1.0),
    ('"no"', False),
    ("no", True),
    ("1", True),
    ("null", "~"),
    ("2026-10-01", "2026-10-02"),
    ("[a]", ["a", "b"]),
    ("[a]", "[a]"),
    ("{a: 1}", {"a": 1, "b": 2}),
    ("text", ["text"]),
    ("*all", "all"),
    ("!!python/name:os.system x", "x"),
]


def skill_md(value: str) -> bytes:
    return f"---\nname: it\nfield: {value}\n---\n# Body\n".encode()


def frontmatter(value: object) -> Json:
    return {"name": "it", "field": value}


@each_row(("written", "value"), SAME)
def test_a_value_agrees_with_what_readers_make_of_it(written: str, value: object) -> None:
    assert agrees(skill_md(written), frontmatter(value))


@each_row(("written", "value"), OTHER)
def test_another_value_does_not_agree(written: str, value: object) -> None:
    assert not agrees(skill_md(written), frontmatter(value))


@pytest.mark.parametrize(
    "data",
    [
        b"# Body\n",
        b"---\nname: it\n",
        b"---\nname: it\nfield: a\nmore: b\n---\n",
        b"---\nname: it\n---\n",
        b"\xff---\nname: it\nfield: a\n---\n",
        b"---\n- name\n- field\n---\n",
    ],
)
def test_a_file_without_this_frontmatter_does_not_agree(data: bytes) -> None:
    assert not agrees(data, frontmatter("a"))


def test_line_ends_and_byte_order_marks_change_nothing() -> None:
    data = "\ufeff---\r\nname: it\r\nfield: a\r\n---\r\n# Body\r\n"
    assert agrees(data.encode(), frontmatter("a"))
    assert body_of(data) == "# Body\r\n"
    assert body_of("# Body\n---\n") == "# Body\n---\n"
