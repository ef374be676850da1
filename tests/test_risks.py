"""The risk of a proposed call: its gravest sign, in the words of its tool or among the arguments."""

from __future__ import annotations

from time import process_time
from typing import Any

from tests.tables import each_row
from webclient.content.risks import MOST_VALUES, risk_of
from webclient.domain.model import Risk, weight_of

DELETES = {"destructiveHint": True}
OPEN = {"openWorldHint": True}


@each_row(
    ("annotations", "arguments", "risk"),
    [
        (None, {}, None),
        (None, {"path": "/srv/a.csv", "count": 3, "discounted": True}, None),
        ({"destructiveHint": False}, {"name": "a"}, None),
        ("all", {"name": "a"}, None),
        (DELETES, {}, Risk.DESTRUCTIVE),
        (DELETES, {"amount": 2}, Risk.DESTRUCTIVE),
        ({**DELETES, "readOnlyHint": True}, {}, None),
        (OPEN, {"amount": 2}, Risk.MONEY),
        (None, {"totalAmount": "1,250.00"}, Risk.MONEY),
        (None, {"order": {"lines": [{"unit_price": 3}]}}, Risk.MONEY),
        (None, {"text": "Pay 1200 EUR to ACME"}, Risk.MONEY),
        (None, {"text": "It costs €12"}, Risk.MONEY),
        (None, {"to": "DE89 3704 0044 0532 0130 00"}, Risk.MONEY),
        (None, {"amount": None, "price": False, "fee": "none"}, None),
        (OPEN, {"url": "https://example.com/"}, Risk.OUTSIDE),
        (None, {"hooks": ["https://example.com/"]}, Risk.ADDRESS),
        (None, {"cc": "Eve <eve@example.com>"}, Risk.ADDRESS),
        (None, {"handle": "@ada", "ratio": "1/2"}, None),
    ],
)
def test_the_gravest_risk_is_found(annotations: Any, arguments: dict[str, Any], risk: Risk | None) -> None:
    assert risk_of(annotations, arguments) is risk


def test_risks_that_are_hard_to_undo_weigh_most() -> None:
    assert [weight_of(each) for each in (*Risk, None)] == [2, 2, 1, 1, 0]


def test_a_flood_of_values_is_not_read_to_the_end() -> None:
    before = process_time()
    assert risk_of(None, {f"k{n}": ["a" * 100_000] * 1000 for n in range(MOST_VALUES * 4)}) is None
    assert risk_of(None, {"text": "a@" * 500_000, "other": "a." * 500_000}) is None
    assert process_time() - before < 5
