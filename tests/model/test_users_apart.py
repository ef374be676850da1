"""Agents of several users among restarts and revoked tokens: each gets the results of its own calls, asked for once."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path

import pytest

from tests.model import testimony
from tests.model.apart_rules import broken
from tests.model.apart_run import ApartRun
from webclient.domain.model import Json

STEPS = 6
TROUBLES = 5
"""One of each kind: the program stops and is killed, and so is each server."""


def test_no_result_goes_to_another_users_agent() -> None:
    seed = secrets.randbelow(2**32)
    print(f"To repeat: python -m tests.model.apart_run --seed {seed}")  # noqa: T201  (pytest shows it with a failure)
    run = ApartRun(seed, STEPS, TROUBLES)
    asyncio.run(run.go())
    assert run.wrong == []
    # It was a run in which results went out, also to agents that came back.
    assert run.done["results"], run.done
    assert run.done["waits"], run.done
    assert run.done["gone"], run.done


ANSWER: Json = {"action": "accept", "content": {"name": "ada q"}}
CALL: Json = {
    "id": "c",
    "server_id": "s",
    "arguments": {"tag": "one"},
    "via": {"token_id": "t"},
    "created_at": "2026-11-29T10:00:00Z",
    "result": {"structuredContent": {"said": {"m": ANSWER}}},
}
REQUEST: Json = {
    "id": "q",
    "call_id": "c",
    "params": {"message": "m"},
    "state": "accepted",
    "delivery": "delivered",
    "created_at": "2026-11-29T10:00:01Z",
    "settled_at": "2026-11-29T10:00:09Z",
}


def _broken(
    calls: list[Json], requests: list[Json], token_id: str, answers: list[Json], said: Json = ANSWER
) -> list[str]:
    file = testimony.Testimony(Path("none"))
    file.answers["m"] = answers
    return list(broken("ada", calls, requests, [(token_id, {"said": {"m": said}})], [file]))


def test_a_run_without_a_fault_breaks_no_rule() -> None:
    assert _broken([CALL], [REQUEST], "t", [ANSWER]) == []


@pytest.mark.parametrize(
    ("calls", "requests", "token_id", "answers"),
    [
        ([CALL], [REQUEST, REQUEST | {"id": "r"}], "t", [ANSWER]),
        ([CALL, CALL | {"id": "d", "created_at": "2026-11-29T10:00:07Z", "result": None}], [REQUEST], "t", [ANSWER]),
        ([CALL], [REQUEST], "another", [ANSWER]),
        ([CALL], [REQUEST], "t", [ANSWER, ANSWER]),
        ([CALL], [REQUEST], "t", [ANSWER | {"content": {"name": "bob q"}}]),
        ([CALL], [REQUEST | {"state": "withdrawn"}], "t", [ANSWER]),
        ([CALL], [REQUEST], "t", []),
        ([CALL, CALL | {"id": "d"}], [REQUEST], "t", [ANSWER]),
    ],
    ids=[
        "asked twice",
        "not joined",
        "of another",
        "answered twice",
        "by another",
        "withdrawn",
        "not got",
        "two results",
    ],
)
def test_each_fault_breaks_a_rule(calls: list[Json], requests: list[Json], token_id: str, answers: list[Json]) -> None:
    assert _broken(calls, requests, token_id, answers)


def test_an_answer_of_another_user_breaks_a_rule() -> None:
    said = ANSWER | {"content": {"name": "bob q"}}
    assert _broken([CALL], [REQUEST], "t", [ANSWER], said)
