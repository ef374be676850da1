"""The rules for names of tools (MCP 2025-11-25, Tools, Tool Names)."""

from __future__ import annotations

import pytest

from tests.tables import each_row
from webclient.domain.tool_names import irregular, is_regular, repeated


@pytest.mark.parametrize("name", ["a", "getUser", "DATA_EXPORT_v2", "admin.tools.list", "a-b_c.D9", "x" * 128])
def test_a_name_of_allowed_characters_is_regular(name: str) -> None:
    assert is_regular(name)


@each_row("name", ["", "x" * 129, "two words", "a,b", "a/b", "größe", "line\n", "١", "a\u200bb"])
def test_a_name_with_other_characters_or_length_is_irregular(name: str) -> None:
    assert not is_regular(name)


def test_irregular_and_repeated_names_are_given_once() -> None:
    names = ["a b", "ok", "a b", "Ok", "ok"]
    assert irregular(names) == ["a b"]
    # Names SHOULD be considered case-sensitive.
    assert repeated(names) == ["a b", "ok"]
