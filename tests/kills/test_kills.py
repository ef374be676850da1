"""A few calls among kills at random moments; `make kills` does 200. Every rule that judges them can fail."""

from __future__ import annotations

import asyncio
import secrets
from pathlib import Path

import pytest

from tests.kills import testimony
from tests.kills.run import AT_ONCE, run
from tests.kills.verdict import Kill, Payment, contradictions
from webclient.domain.model import Json


@pytest.mark.slow
def test_no_card_contradicts_its_server_after_a_kill() -> None:
    seed = secrets.randbelow(2**32)
    print(f"To repeat: run({seed}, ...)")  # noqa: T201  (pytest shows it with a failure)
    lines, wrong = asyncio.run(run(seed, 2 * AT_ONCE, (Kill.PROGRAM, Kill.SERVER)))
    assert wrong == [], "\n".join(lines)


NUMBER, AMOUNT = 1, 100
PUSH, ROUNDS = "2025-11-25, HTTP", "2026-07-28, HTTP"


def written(path: Path, *lines: str) -> testimony.Testimony:
    writer = testimony.Writer(str(path / "testimony.jsonl"))
    for line in lines:
        match line:
            case "received":
                writer.read(b'{"amount": 100}')
            case "refused":
                writer.refused(b'{"amount": 100}')
            case _:
                writer.executed(NUMBER, int(line))
    return testimony.Testimony(path / "testimony.jsonl")


def payment(
    state: str, *deliveries: str | None, way: str = PUSH, kill: Kill = Kill.PROGRAM, answers: int = 1
) -> Payment:
    result: Json = {"content": [{"type": "text", "text": f'{{"paid": {AMOUNT}}}'}]}
    call = {"state": state} | ({"result": result} if state == "done" else {})
    return Payment(NUMBER, AMOUNT, way, kill, answers, call, [{"delivery": each} for each in deliveries])


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        (payment("interrupted", "failed"), ["received"]),
        (payment("interrupted", "failed"), ["received", "received", "refused", "100"]),
        (payment("interrupted", "delivered"), []),
        (payment("interrupted", "delivered"), ["received", "refused"]),
        (payment("interrupted", None), ["received"]),
        (payment("interrupted", "unknown", answers=0), ["received"]),
        (payment("done", "delivered"), ["received"]),
        (payment("done", "unknown", way=ROUNDS), ["received", "100"]),
        (payment("interrupted", "unknown"), ["received", "99"]),
        (payment("interrupted", "unknown", kill=Kill.NOTHING), ["received", "100"]),
    ],
)
def test_a_card_that_the_server_knows_better_is_a_contradiction(
    tmp_path: Path, shown: Payment, lines: list[str]
) -> None:
    assert list(contradictions(shown, written(tmp_path, *lines)))


@pytest.mark.parametrize(
    ("shown", "lines"),
    [
        (payment("interrupted", "failed"), []),
        (payment("interrupted", "failed"), ["received", "refused"]),
        (payment("interrupted", "unknown"), []),
        (payment("interrupted", "unknown"), ["received", "100"]),
        (payment("interrupted", "delivered"), ["received"]),
        (payment("interrupted", None, answers=0), []),
        (payment("done", "unknown"), ["received", "100"]),
        (payment("done", "delivered", way=ROUNDS, kill=Kill.NOTHING), ["received", "100"]),
    ],
)
def test_a_card_that_agrees_with_the_server_is_none(tmp_path: Path, shown: Payment, lines: list[str]) -> None:
    assert list(contradictions(shown, written(tmp_path, *lines))) == []
