"""The page of rules: each rule as a sentence, a new one above the others, and what stands in its way."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from webclient.domain.model import Json

HTML = {"Accept": "text/html"}


def rules(client: TestClient) -> list[Json]:
    """Return the rules as the API has them."""
    found: list[Json] = client.get("/api/v1/rules").json()["rules"]
    return found


def add(client: TestClient, status: int = 303, **fields: str) -> str:
    """Post the form, and return the page that comes at once."""
    response = client.post("/rules", data={"then": "ask"} | fields, headers=HTML, follow_redirects=False)
    assert response.status_code == status, response.text
    return response.text


def page(client: TestClient, query: str = "") -> str:
    """Return the page."""
    return client.get(f"/rules{query}", headers=HTML).text


def test_a_new_rule_stands_above_the_others(client: TestClient) -> None:
    add(client, tool="pay")
    add(client, then="refuse", tool="drop_*", hint="destructive", condition='{"required": ["all"]}')
    newest, older = rules(client)
    assert (newest["then"], newest["tool"], newest["annotations"]) == ("refuse", "drop_*", {"destructiveHint": True})
    assert newest["arguments"] == {"required": ["all"]}
    assert (older["then"], older["tool"]) == ("ask", "pay")
    assert page(client).index("drop_*") < page(client).index("pay")


def test_a_rule_is_moved_and_removed(client: TestClient) -> None:
    for tool in ("one", "two", "three"):
        add(client, tool=tool)
    lowest = rules(client)[-1]
    assert client.post(f"/rules/{lowest['id']}/up", headers=HTML, follow_redirects=False).status_code == 303
    assert [rule["tool"] for rule in rules(client)] == ["three", "one", "two"]
    assert client.post(f"/rules/{lowest['id']}/remove", headers=HTML, follow_redirects=False).status_code == 303
    assert [rule["tool"] for rule in rules(client)] == ["three", "two"]


@pytest.mark.parametrize("condition", ["{", '{"maximun": 3}', "[]", '{"properties": {"a": {"pattern": "(?=x)"}}}'])
def test_a_condition_that_cannot_be_checked_is_not_added(client: TestClient, condition: str) -> None:
    shown = add(client, status=422, condition=condition, tool="pay")
    assert 'id="rule-condition-error"' in shown
    assert 'value="pay"' in shown
    assert rules(client) == []


def test_the_form_is_filled_in_for_a_call(client: TestClient) -> None:
    assert 'value="&lt;b&gt;pay"' in page(client, "?tool=%3Cb%3Epay")


def test_a_rule_of_administrators_comes_first_and_has_no_buttons(client: TestClient) -> None:
    add(client, tool="own")
    everyone = {"then": "refuse", "tool": "all", "everyone": True}
    assert client.put("/api/v1/rules", json={"rules": [everyone, *rules(client)]}).status_code == 200
    shown = page(client)
    assert shown.index("all") < shown.index("own")
    assert shown.count("/remove") == 1


def test_a_ready_made_rule_is_added_with_one_click(client: TestClient) -> None:
    assert page(client).count('id="starter-') == 3
    add(client, hint="silent", begins="in_a_week")
    [made] = rules(client)
    assert made["annotations"] == {"readOnlyHint": None, "destructiveHint": None}
    assert (made["then"], made["report_only"]) == ("ask", True)
    shown = page(client)
    assert [name for name in ("destructive", "changes_outside", "silent") if f'id="starter-{name}"' in shown] == [
        "destructive",
        "changes_outside",
    ]


def test_words_of_rules_are_text(client: TestClient) -> None:
    client.put("/api/v1/rules", json={"rules": [{"then": "ask", "tool": "<b>x", "agent": "<i>a", "server": "<u>s"}]})
    assert not [each for each in ("<b>x", "<i>a", "<u>s") if each in page(client)]
