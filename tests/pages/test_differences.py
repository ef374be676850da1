"""Differences from the last approved call of a tool are named on its card, disguised ones included."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from tests.api.test_approvals import ARGUMENTS, TOOL, posted, propose
from tests.api.test_asking import agent
from tests.tables import each_row
from webclient.web.pages.inbox.differences import What, differences, tool_changes

BEFORE: dict[str, Any] = {
    "url": "https://bank.example/pay?to=1",
    "amount": 250,
    "text": "1,000",
    "path": "/srv/reports/a.csv",
    "files": ["a.txt", "b.txt"],
    "account": "DE12 3456",
    "force": False,
    "options": {"deep": {"limit": 5}},
}


@each_row(
    ("name", "value", "what"),
    [
        ("url", "https://bank.example.evil.test/pay?to=1", What.HOST),
        ("url", "https://bаnk.example/pay?to=1", What.HOST),
        ("url", "https://bank.example@evil.test/pay?to=1", What.HOST),
        ("url", "https://bank.example/pay?to=2", What.PATH),
        ("amount", 2500, What.AMOUNT),
        ("amount", 250.0001, What.AMOUNT),
        ("text", "10,000", What.AMOUNT),
        ("path", "/srv/reports/../secrets/a.csv", What.PATH),
        ("files", ["a.txt", "b.txt", "c.txt"], What.ENTRIES),
        ("files", ["a.txt", "b.txt "], What.OTHER),
        ("account", "DE12 3456\u200b", What.OTHER),
        ("force", True, What.OTHER),
        ("options", {"deep": {"limit": 500}}, What.OTHER),
    ],
)
def test_a_change_is_named(name: str, value: Any, what: What) -> None:
    (found,) = differences(BEFORE, BEFORE | {name: value})
    assert (found.name, found.what) == (name, what)
    assert found.before


def test_new_arguments_and_those_left_out_are_named() -> None:
    found = differences(BEFORE, {name: each for name, each in BEFORE.items() if name != "force"} | {"bcc": "x"})
    assert [(each.name, each.what) for each in found] == [("bcc", What.NEW), ("force", What.LEFT_OUT)]


def test_names_that_differ_in_hidden_characters_differ() -> None:
    (new, left_out) = differences({"to": "a"}, {"to\u200b": "a"})
    assert new.name != left_out.name


def test_equal_arguments_have_no_differences() -> None:
    assert differences(BEFORE, dict(reversed(BEFORE.items()))) == []


def test_the_gravest_change_comes_first() -> None:
    found = differences(BEFORE, BEFORE | {"account": "x", "amount": 1, "url": "https://other.example/"})
    assert [each.what for each in found] == [What.HOST, What.AMOUNT, What.OTHER]


def test_a_card_names_what_differs_from_the_last_approval(client: TestClient) -> None:
    headers = agent(client)
    first = propose(client, headers)
    fields = [("f0", "DE12"), ("f1", "250.5"), ("f2", ""), ("f3", ""), ("action", "accept")]
    assert posted(client, first, *fields) in (200, 303)
    second = propose(client, headers, arguments=ARGUMENTS | {"amount": 99999})
    card = client.get(f"/requests/{second['id']}", headers={"Accept": "text/html"}).text
    assert card.count('data-what="amount"') == 1
    same = propose(client, headers)
    assert "data-what" not in client.get(f"/requests/{same['id']}", headers={"Accept": "text/html"}).text


def test_a_card_shows_what_has_changed_in_the_tool(client: TestClient) -> None:
    """It is not what the person approved the last time, although the arguments are."""
    headers = agent(client)
    first = propose(client, headers, tool=TOOL | {"description": "Pays an invoice."})
    fields = [("f0", "DE12"), ("f1", "250.5"), ("f2", ""), ("f3", ""), ("action", "accept")]
    assert posted(client, first, *fields) in (200, 303)
    changed = TOOL | {"description": "Pays <b>any</b> invoice.", "annotations": {"destructiveHint": False}}
    for tool, marked in ((changed, 2), (TOOL | {"description": "Pays an invoice."}, 0)):
        again = propose(client, headers, tool=tool)
        card = client.get(f"/requests/{again['id']}", headers={"Accept": "text/html"}).text
        assert card.count("data-tool-changes") == bool(marked)
        assert len(re.findall("<dt>", card.partition("data-tool-changes")[2].partition("</dl>")[0])) == marked
        assert "<b>any" not in card


def test_another_order_of_the_keys_is_the_same_tool() -> None:
    before: dict[str, Any] = {"name": "pay", "inputSchema": {"type": "object", "properties": {}}}
    after = {"inputSchema": {"properties": {}, "type": "object"}, "name": "pay"}
    assert tool_changes(before, after) == []
    assert len(tool_changes(before, after | {"outputSchema": {"type": "object"}})) == 1


TRANSFER: dict[str, Any] = {
    "name": "transfer",
    "inputSchema": {
        "type": "object",
        "properties": {
            "to": {"type": "string"},
            "amount": {"type": "number"},
            "webhook": {"type": "string"},
            "files": {"type": "array", "items": {"type": "string"}},
            "options": {"type": "object"},
        },
    },
}
APPROVED: dict[str, Any] = {
    "to": "DE12 3456 7890",
    "amount": 1250,
    "webhook": "https://hooks.bank.example/paid?id=7",
    "files": ["/srv/a.csv", "/srv/b.csv"],
    "options": {"notify": {"url": "https://bank.example/"}, "limit": 10},
}
DISGUISED: list[dict[str, Any]] = [
    {"amount": 12500},
    {"amount": 1250.01},
    {"amount": -1250},
    {"to": "DE12 3456 789O"},
    {"webhook": "https://hooks.bank.example.pay.test/paid?id=7"},
    {"webhook": "https://hooks.bаnk.example/paid?id=7"},
    {"webhook": "https://hooks.bank.example@pay.test/paid?id=7"},
    {"files": ["/srv/a.csv", "/srv/b.csv", "/etc/shadow"]},
    {"files": ["/srv/a.csv", "/srv/../etc/b.csv"]},
    {"options": {"notify": {"url": "https://bank.example.pay.test/"}, "limit": 10}},
]
"""Another amount, account or host, one more file: all as hard to see as an attacker could make them."""


@pytest.mark.parametrize("change", DISGUISED)
def test_a_card_marks_a_disguised_change(client: TestClient, change: dict[str, Any]) -> None:
    headers = agent(client)
    first = propose(client, headers, tool=TRANSFER, arguments=APPROVED)
    fields = [("action", "accept"), ("json", quote(json.dumps(APPROVED)))]
    assert posted(client, first, *fields) in (200, 303)
    second = propose(client, headers, tool=TRANSFER, arguments=APPROVED | change)
    card = client.get(f"/requests/{second['id']}", headers={"Accept": "text/html"}).text
    (name,) = change
    marked = re.findall(r'data-what="\w+"><bdi lang="">(\w+)</bdi>', card)
    assert marked == [name]
