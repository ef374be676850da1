"""The rules under which a server may ask."""

from __future__ import annotations

import pytest

from tests.inbox.test_inbox import a_question
from webclient.inbox.policy import Bucket, Limit, Limits, excerpt, refusal, size, too_large, too_many
from webclient.model import Mode, ReasonCode, Server


def a_server(**fields: object) -> Server:
    return Server(user_id="ada", label="it", transport={"type": "http", "url": "http://127.0.0.1"}, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_mode_may_be_used_as_long_as_the_user_leaves_it(mode: Mode) -> None:
    question = a_question(kind=mode.value)
    assert refusal(a_server(), question) is None
    assert refusal(a_server(modes=(mode,)), question) is None
    for modes in [(), tuple(each for each in Mode if each is not mode)]:
        refused = refusal(a_server(modes=modes), question)
        assert refused is not None
        assert (refused.limit, mode in refused.told) == (Limit.MODE, True)
        assert refused.reason.code is {Mode.FORM: ReasonCode.FORM_MODE_OFF, Mode.URL: ReasonCode.URL_MODE_OFF}[mode]


@pytest.mark.parametrize("kind", ["sampling", "roots"])
def test_what_is_offered_to_nobody_is_refused_whatever_the_modes(kind: str) -> None:
    refused = refusal(a_server(), a_question(kind=kind))
    assert refused is not None
    assert refused.limit is Limit.KIND


def test_a_bucket_gives_its_burst_at_once_and_then_its_rate() -> None:
    bucket = Bucket(Limits(burst=3, rate=0.5), at=100)
    assert [bucket.take(1, at=100) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(1, at=101), bucket.take(1, at=102), bucket.take(1, at=102)] == [False, True, False]
    assert [bucket.take(3, at=1000), bucket.take(1, at=1000)] == [True, False]


def test_a_round_takes_all_its_tokens_or_none() -> None:
    bucket = Bucket(Limits(burst=3, rate=0), at=0)
    assert [bucket.take(4, at=0), bucket.take(3, at=0)] == [False, True]


def test_what_is_answered_gives_its_token_back_and_never_more_than_there_were() -> None:
    bucket = Bucket(Limits(burst=1, rate=0), at=0)
    for _wizard_step in range(1000):
        assert bucket.take(1, at=0)
        bucket.give_back()
        bucket.give_back()
    assert [bucket.take(1, at=0), bucket.take(1, at=0)] == [True, False]


def test_size_is_that_of_the_json_in_bytes() -> None:
    assert size({"a": "é"}) == len('{"a": "é"}'.encode())
    assert size({"a": "\ud800"}) > 0


def test_what_is_nested_deeper_than_json_can_be_written_is_too_large() -> None:
    deep: dict[str, object] = {}
    for _level in range(100_000):
        deep = {"a": deep}
    limits = Limits()
    assert too_large([a_question(params=deep)], limits) is not None
    assert excerpt(a_question(params=deep), limits) == {"mode": "form", "message": ""}
    while deep:  # taken apart by hand: the interpreter would do it by recursion
        deep = deep["a"]  # type: ignore[assignment]


def test_one_question_that_is_too_large_stops_its_round() -> None:
    limits = Limits(size=500)
    large = a_question(params={"message": "x" * 500})
    assert too_large([a_question(params={}), a_question(params={})], limits) is None
    refused = too_large([a_question(params={}), large], limits)
    assert refused is not None
    assert refused.limit is Limit.SIZE
    assert excerpt(large, limits) == {"mode": "form", "message": "x" * 500}


def test_what_waits_is_limited_in_number_and_in_size() -> None:
    limits = Limits(pending=3, size=100)
    two = [a_question(params={}), a_question(params={})]
    assert too_many(two, 1, 0, limits) is None
    by_number, by_size = too_many(two, 2, 0, limits), too_many(two, 0, limits.pending_size, limits)
    assert by_number is not None
    assert by_number.reason.code is ReasonCode.TOO_MANY_PENDING
    assert by_size is not None
    assert by_size.reason.code is ReasonCode.PENDING_TOO_LARGE
    assert f"at most {limits.pending} " in by_number.told
    assert f"at most {limits.pending_size} bytes" in by_size.told
