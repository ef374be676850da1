"""Entries of a catalog as rows: titles, hints, addresses, order, groups and the search."""

from __future__ import annotations

from typing import Any

import pytest

from webclient.domain.model import Catalog
from webclient.web.pages.servers.catalog_entries import CatalogEntry, entries_of, grouped, path_of


def tools(*items: dict[str, Any]) -> list[CatalogEntry]:
    return entries_of(Catalog(tools=list(items)))["tool"]


def tool(**item: Any) -> CatalogEntry:
    return tools({"name": "t", **item})[0]


def named(*names: str) -> list[CatalogEntry]:
    return tools(*({"name": name} for name in names))


def test_the_title_for_people_comes_before_the_name_for_programs() -> None:
    assert tool(title="Title").title == "Title"
    assert tool(annotations={"title": "Annotated"}).title == "Annotated"
    assert tool().title == "t"
    assert tool(annotations="junk").title == "t"


@pytest.mark.parametrize(
    ("annotations", "codes"),
    [
        ({"destructiveHint": True, "idempotentHint": True, "openWorldHint": True}, "destructive idempotent openWorld"),
        ({"readOnlyHint": True, "destructiveHint": True, "idempotentHint": True}, "readOnly"),
        ({"readOnlyHint": False, "destructiveHint": "yes", "openWorldHint": 1}, ""),
        ("junk", ""),
    ],
)
def test_hints_are_labels_and_only_if_they_mean_something(annotations: Any, codes: str) -> None:
    """MCP, ToolAnnotations: two of them mean something only when `readOnlyHint` is false."""
    assert " ".join(hint.code for hint in tool(annotations=annotations).hints) == codes
    assert tool(annotations=annotations).is_destructive is ("destructive" in codes)


def test_entries_without_a_name_are_left_out() -> None:
    assert tools({"title": "?"}, {"name": 7}) == []


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("get_weather", "tools/get_weather"),
        ("a/b c", "tools/a%2Fb%20c"),
        ("../..", "tools/..%2F.."),
        ("a?b#c%d", "tools/a%3Fb%23c%25d"),
        ("☃️", "tools/%E2%98%83%EF%B8%8F"),
    ],
)
def test_an_address_has_the_name(name: str, path: str) -> None:
    assert named(name)[0].path == path == path_of("tool", name)


@pytest.mark.parametrize("name", ["", ".", "..", "two\nlines", "nul\0", "half \ud800", "x" * 501])
def test_a_name_that_addresses_change_is_replaced_by_its_scope(name: str) -> None:
    [entry] = named(name)
    assert entry.path == f"tools?entry={entry.scope}" == path_of("tool", name)


def test_a_second_entry_of_a_name_has_an_address_of_its_own() -> None:
    first, second = named("same", "same")
    assert (first.path, second.path) == ("tools/same", f"tools?entry={second.scope}")


def test_an_irregular_or_repeated_name_of_a_tool_is_known() -> None:
    """MCP 2025-11-25, Tools, Tool Names: SHOULD be of few characters, and unique within a server."""
    first, second, spaced = named("same", "same", "two words")
    assert [entry.is_repeated for entry in (first, second, spaced)] == [True, True, False]
    assert [entry.is_irregular for entry in (first, second, spaced)] == [False, False, True]
    [resource] = entries_of(Catalog(resources=[{"uri": "file:///a b"}]))["resource"]
    assert not resource.is_irregular


def test_a_short_list_is_sorted_and_not_grouped() -> None:
    [group] = grouped(named("b", "list_two", "A", "list_one", "list_four", "list_three"))
    assert [entry.name for entry in group.entries] == ["A", "b", "list_four", "list_one", "list_three", "list_two"]
    assert grouped([]) == []


def test_entries_of_a_long_list_are_grouped_by_their_first_word() -> None:
    found = grouped(named(*(f"list_{n}" for n in range(9)), *(f"get-{n}" for n in range(3)), *"xyz", *"jklmno"))
    assert [(group.name, len(group.entries)) for group in found] == [("", 6), ("list", 9), ("", 6)]


@pytest.mark.parametrize("query", ["", "order", "ORDER list", "erp", "shop"])
def test_the_search_finds_words_of_name_title_and_description(query: str) -> None:
    [entry] = tools({"name": "list_orders", "title": "Orders", "description": "Reads the ERP of the shop."})
    assert entry.matches(query)
    assert not entry.matches(f"{query} refund")
