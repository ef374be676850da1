"""Masks in the wire log: each secret of an attack is in no entry, and ordinary values stay readable."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.tables import each_row
from tests.wire_log.made import Made, answer, call, elicitation, said
from webclient.domain.model import Json
from webclient.protocol.wire_log.logs import LONGEST
from webclient.protocol.wire_log.masking import MOST_TEXTS, masked

SECRET = "correct horse battery"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
FORM = {"type": "object", "properties": {"name": {"type": "string"}, "pin": {"type": "string", "title": "PIN"}}}


def test_a_secret_answer_is_masked_in_every_message() -> None:
    made = Made()
    request = made.add("received", elicitation(FORM))
    made.add("sent", answer({"name": "Ada", "pin": SECRET}), method="elicitation/create", answers=request.number)
    made.add("received", said(f"You typed {SECRET}."))
    made.add("received", {"jsonrpc": "2.0", "method": SECRET, "params": {SECRET: {"deep": [SECRET]}}})
    text = made.text()
    assert SECRET not in text
    assert "Ada" in text
    assert "You typed" in text


def test_an_answer_whose_form_is_gone_is_masked_whole() -> None:
    made = Made()
    made.add("sent", answer({"name": "Ada", "pin": SECRET}), method="elicitation/create", answers=99)
    made.add("sent", answer({"name": "Grace Hopper"}))
    text = made.text()
    assert not [name for name in ("Ada", SECRET, "Grace Hopper") if name in text]
    assert '"action": "accept"' in text


def test_answers_of_a_round_are_masked_by_their_forms() -> None:
    made = Made()
    required = {"resultType": "input_required", "inputRequests": {"who": elicitation(FORM)}}
    made.add("received", {"jsonrpc": "2.0", "id": 1, "result": required}, call_ids=("c",))
    responses = {
        "who": {"action": "accept", "content": {"name": "Ada", "pin": SECRET}},
        "other": {"content": {"x": "y"}},
    }
    made.add("sent", call({}, inputResponses=responses), call_ids=("c",))
    made.add("sent", call({}, inputResponses={"who": {"content": {"name": "Lovelace"}}}), call_ids=("another",))
    text = made.text()
    assert "Ada" in text
    assert SECRET not in text
    assert "Lovelace" not in text


def test_arguments_are_masked_by_what_the_store_says() -> None:
    made = Made()
    made.add("sent", call({"city": "Basel", "word": SECRET}), call_ids=("known",))
    made.add("sent", call({"city": "Oslo"}), call_ids=("deleted",))
    made.add("received", said(f"{SECRET} in Basel"))
    text = made.text({"known": ["word"]})
    assert "Basel" in text
    assert SECRET not in text
    assert "Oslo" not in text


def test_configured_secrets_are_masked_also_after_a_change() -> None:
    made = Made()
    made.add("received", said("the old-header-value came"), secrets=frozenset({"old-header-value"}))
    made.add("received", said("the new-header-value came"), secrets=frozenset({"new-header-value"}))
    assert "header-value" not in made.text()


@each_row(
    "value",
    [
        {"Authorization": f"Bearer {SECRET}"},
        {"headers": {"cookie": SECRET}},
        {"access_token": SECRET},
        {"apiKey": {"value": [SECRET, {"again": SECRET}]}},
        {"text": f"password={SECRET.replace(' ', '-')} and more"},
        {"text": json.dumps({"password": SECRET})},
        {"text": json.dumps([json.dumps({"client_secret": SECRET})])},
        {"text": f"https://user:{SECRET.replace(' ', '-')}@host.example/x"},
        {"url": "https://bank.example/confirm?t=" + SECRET.replace(" ", "-")},
        {"password": SECRET, "properties": {"password": SECRET}},
    ],
)
def test_a_secret_in_an_odd_place_is_masked(value: Json) -> None:
    shown = json.dumps(masked(value, (), is_own=True))
    assert SECRET not in shown
    assert SECRET.replace(" ", "-") not in shown


@pytest.mark.parametrize("value", [GITHUB, [GITHUB], {GITHUB: 1}, "x " * 500 + GITHUB, {"a": f'"{GITHUB}"'}])
def test_a_value_that_looks_like_a_key_is_masked(value: Any) -> None:
    shown = json.dumps(masked(value, (), is_own=False))
    assert GITHUB not in shown
    if isinstance(value, str) and len(value) > 300:
        assert "x x x" in shown


@pytest.mark.parametrize(
    "value",
    [
        {"progressToken": 3, "nextCursor": "page-2"},
        {"properties": {"password": {"type": "string", "title": "Password"}}, "required": ["password"]},
        {"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {"form": {}}}},
        {"elicitationId": "0199a3c4-7a1b-7c3d-9e4f-0123456789ab", "n": 1.5, "on": True, "none": None, "empty": ""},
        {"content": [{"type": "text", "text": "Total: 12 EUR. Order 2026-11-22-0042."}]},
    ],
)
def test_ordinary_values_stay_as_they_are(value: Json) -> None:
    assert masked(value, (), is_own=False) == value


def test_the_beginning_of_a_huge_message_is_masked() -> None:
    made = Made()
    parts = {"name": "Ada", "password": SECRET, "note": f"key {GITHUB} here", "rest": "x" * LONGEST}
    made.add("received", {"jsonrpc": "2.0", "id": 1, "result": parts})
    made.add("sent", answer(parts), method="elicitation/create")
    received, sent = made.entries()
    assert '"name": "Ada"' in received.beginning
    assert not [secret for secret in (SECRET, GITHUB, "xxxx") if secret in received.beginning]
    assert (sent.beginning, sent.content) == ("", None)
    assert sent.is_abridged


@each_row(
    "text",
    [
        "[" * 5000,
        '{"a":' * 5000,
        '{"n": ' + "9" * 5000 + "}",
        '{"n": NaN, "m": Infinity, "s": "\\ud800"}',
        '{"a":' * 950 + "1" + "}" * 950,
        "not JSON \x00\x1b[31m",
        '"just a text"',
        b"\xff\xfe{",
        "",
    ],
)
def test_any_text_has_an_entry(text: str | bytes) -> None:
    made = Made()
    made.add("received", text)
    made.add("sent", text)
    assert len(made.entries()) == 2
    assert made.text()


def test_a_message_of_too_many_values_is_masked_from_there_on() -> None:
    shown = masked(
        {"first": "Ada", "many": [str(number) for number in range(MOST_TEXTS)], "last": "Grace"}, (), is_own=True
    )
    assert shown["first"] == "Ada"
    assert "Grace" not in json.dumps(shown)


def test_only_the_beginning_of_a_long_message_is_read_if_asked() -> None:
    made = Made()
    made.add("received", said("x" * 5000))
    snapshot = made.log.snapshot()
    [entry] = made.masks.entries(snapshot, snapshot.messages, {}, longest=1000)
    assert (entry.content, entry.is_stored, entry.is_abridged) == (None, True, True)
