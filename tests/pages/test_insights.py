"""The page and the API of insights: what was asked and decided, and the rules whose questions are always approved."""

from __future__ import annotations

import re

import pytest
from starlette.testclient import TestClient

from webclient.domain.model import Json

HTML = {"Accept": "text/html"}


def propose(client: TestClient, tool: str, **answer: str) -> Json:
    """Have a program ask whether a tool may run, and decide on it."""
    body = {"kind": "approval", "tool": {"name": tool}, "arguments": {}}
    made: Json = client.post("/api/v1/requests", json=body).raise_for_status().json()
    if answer:
        client.post(f"/api/v1/requests/{made['id']}/answer", json=answer).raise_for_status()
    return made


def test_decisions_are_summed_by_tool(client: TestClient) -> None:
    propose(client, "<b>pay", action="accept")
    propose(client, "<b>pay", action="decline", message="No.")
    propose(client, "look")
    found = client.get("/api/v1/rules/insights", params={"days": 1}).json()
    assert (found["days"], found["total"]["requests"], found["total"]["unread"], found["rules"]) == (1, 3, 0, [])
    pay, look = found["tools"]
    assert (pay["tool"], pay["requests"], pay["approved"], pay["rejected"], pay["waiting"]) == ("<b>pay", 2, 1, 1, 0)
    assert (look["tool"], look["waiting"], "median_seconds" in look) == ("look", 1, False)
    shown = client.get("/rules/insights", headers=HTML).text
    assert "<b>pay" not in shown
    assert 'href="/rules?tool=%3Cb%3Epay' in shown
    cells = re.findall(r"<td>(\d+)</td>", shown)
    assert cells[:5] == ["2", "0", "1", "0", "1"]


@pytest.mark.parametrize("days", ["0", "91", "x"])
def test_only_so_many_days_are_looked_at(client: TestClient, days: str) -> None:
    assert client.get("/api/v1/rules/insights", params={"days": days}).status_code == 422
    assert client.get(f"/rules/insights?days={days}", headers=HTML).status_code == 422


def test_a_page_without_questions_says_what_will_be_there(client: TestClient) -> None:
    shown = client.get("/rules/insights", headers=HTML).text
    assert "<table" not in shown.partition('id="tools-heading"')[2]
    assert 'href="/rules"' in shown
