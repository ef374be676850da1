"""The challenges of servers, well and badly written."""

from __future__ import annotations

from tests.tables import each_row
from webclient.servers.sign_in.challenges import Challenge, token_challenge


@each_row(
    ("headers", "challenge"),
    [
        ([], None),
        (["Basic realm=x"], None),
        (["Bearer"], Challenge()),
        (['Bearer resource_metadata="https://a.example/x"'], Challenge("https://a.example/x")),
        (['bearer SCOPE = "a b" , Error="insufficient_scope"'], Challenge(None, "a b", "insufficient_scope")),
        (['Bearer scope=""'], Challenge()),
        (['Bearer x_scope="evil", scope="good"'], Challenge(None, "good")),
        (['Basic realm="scope=evil", Bearer scope="good"'], Challenge(None, "good")),
        (['Basic realm="a, Bearer scope=evil"', 'Bearer scope="good"'], Challenge(None, "good")),
        (["Negotiate YII==, Bearer scope=good"], Challenge(None, "good")),
        ([r'Bearer error_description="say \"no\", please", scope="good"'], Challenge(None, "good")),
        (['Bearer scope="first", scope="second"'], Challenge(None, "first")),
        (["Bearer", 'Bearer error="invalid_token"'], Challenge(None, None, "invalid_token")),
        (['Bearer scope="unfinished'], Challenge()),
        (["=== ,,, \x00"], None),
    ],
)
def test_the_token_challenge_is_found(headers: list[str], challenge: Challenge | None) -> None:
    assert token_challenge(headers) == challenge


def test_a_long_header_costs_little() -> None:
    assert token_challenge(['Bearer a="' + "\\" * 1_000_000]) == Challenge()
    assert token_challenge(["Bearer " + "a=b," * 1_000_000]) == Challenge()
