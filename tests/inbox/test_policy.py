"""The rules of admission."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.inbox.test_inbox import form_request
from webclient.domain.model import Mode, Reason, ReasonCode, RequestState, Server
from webclient.inbox.kinds.kind import EXCERPT
from webclient.inbox.policy import (
    Bucket,
    Limit,
    Limits,
    Refusal,
    asks_others_too_often,
    excerpt,
    muted,
    refusal,
    rejection,
    size,
    too_large,
    too_many,
    too_many_at_once,
    too_many_of_program,
    too_many_of_user,
    too_often,
)


def a_server(**fields: object) -> Server:
    return Server(user_id="ada", label="it", transport={"type": "http", "url": "http://127.0.0.1"}, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", list(Mode))
def test_a_mode_is_admitted_unless_the_user_switched_it_off(mode: Mode) -> None:
    params = {"messages": [], "maxTokens": 1} if mode is Mode.SAMPLING else {}
    request = form_request(kind=mode.value, params=params)
    assert refusal(a_server(), request) is None
    assert refusal(a_server(modes=(mode,)), request) is None
    for modes in [(), tuple(each for each in Mode if each is not mode)]:
        refused = refusal(a_server(modes=modes), request)
        assert refused is not None
        assert (refused.limit, mode in refused.message) == (Limit.MODE, True)
        assert ("elicitation" in refused.message) is (mode is not Mode.SAMPLING)
        off = {Mode.FORM: ReasonCode.FORM_MODE_OFF, Mode.URL: ReasonCode.URL_MODE_OFF}
        assert refused.reason.code is off.get(mode, ReasonCode.SAMPLING_OFF)


def test_unsupported_kinds_are_refused_in_every_mode() -> None:
    refused = refusal(a_server(), form_request(kind="of-a-later-version"))
    assert refused is not None
    assert refused.limit is Limit.KIND


def test_roots_are_refused_unless_the_user_keeps_a_list() -> None:
    request = form_request(kind="roots")
    refused = refusal(a_server(), request)
    assert refused is not None
    assert (refused.limit, refused.reason.code) == (Limit.MODE, ReasonCode.ROOTS_NOT_SHARED)
    assert refusal(replace(a_server(), roots=()), request) is None


def test_a_bucket_gives_its_burst_at_once_and_then_its_rate() -> None:
    bucket = Bucket(Limits(burst=3, rate=0.5), at=100)
    assert [bucket.take(1, at=100) for _ in range(4)] == [True, True, True, False]
    assert [bucket.take(1, at=101), bucket.take(1, at=102), bucket.take(1, at=102)] == [False, True, False]
    assert [bucket.take(3, at=1000), bucket.take(1, at=1000)] == [True, False]


def test_a_bucket_says_when_it_has_enough_tokens() -> None:
    bucket = Bucket(Limits(burst=3, rate=0.5), at=100)
    assert bucket.seconds_until(3, at=100) == 0
    assert bucket.take(2, at=100)
    assert [bucket.seconds_until(n, at=101) for n in (1, 2, 3, 4)] == [0, 1, 3, None]
    empty = Bucket(Limits(burst=1, rate=0), at=0)
    assert empty.seconds_until(1, at=0) == 0
    assert empty.take(1, at=0)
    assert empty.seconds_until(1, at=1000) is None


def test_a_refused_rate_says_when_to_come_back() -> None:
    limits = Limits(burst=3, rate=0.5)
    server, program = too_often(limits, 2.5), asks_others_too_often(limits, 2.5)
    assert (server.limit, server.retry_after, server.reason) == (Limit.RATE, 2.5, Reason(ReasonCode.RATE_LIMIT))
    assert (program.limit, program.retry_after) == (Limit.RATE, 2.5)
    assert program.reason == Reason.of(ReasonCode.OTHERS_RATE_LIMIT, burst=3, rate="0.5")


def test_a_round_takes_all_its_tokens_or_none() -> None:
    bucket = Bucket(Limits(burst=3, rate=0), at=0)
    assert [bucket.take(4, at=0), bucket.take(3, at=0)] == [False, True]


def test_an_answer_returns_one_token_up_to_the_burst() -> None:
    bucket = Bucket(Limits(burst=1, rate=0), at=0)
    for _wizard_step in range(1000):
        assert bucket.take(1, at=0)
        bucket.give_back()
        bucket.give_back()
    assert [bucket.take(1, at=0), bucket.take(1, at=0)] == [True, False]
    wide = Bucket(Limits(burst=3, rate=0), at=0)
    assert wide.take(3, at=0)
    wide.give_back()
    assert [wide.take(1, at=0), wide.take(1, at=0)] == [True, False]


def test_size_counts_the_bytes_of_the_json() -> None:
    assert size({"a": "é"}) == len('{"a": "é"}'.encode())
    assert size({"a": "\ud800"}) > 0


def test_parameters_nested_too_deep_for_json_are_too_large() -> None:
    deep: dict[str, object] = {}
    for _level in range(100_000):
        deep = {"a": deep}
    limits = Limits()
    assert too_large([form_request(params=deep)], limits) is not None
    assert excerpt(form_request(params=deep), limits) == {"mode": "form", "message": ""}
    while deep:  # taken apart by hand: the interpreter would do it by recursion
        deep = deep["a"]  # type: ignore[assignment]


def test_one_large_request_refuses_its_round() -> None:
    limits = Limits(size=500)
    large = form_request(params={"message": "x" * 500})
    assert too_large([form_request(params={}), form_request(params={})], limits) is None
    refused = too_large([form_request(params={}), large], limits)
    assert refused is not None
    assert refused.limit is Limit.SIZE
    assert excerpt(large, limits) == {"mode": "form", "message": "x" * 500}
    # A limit that it does not exceed.
    size_of_it = size(large.params)
    assert too_large([large], Limits(size=size_of_it)) is None
    assert excerpt(large, Limits(size=size_of_it)) == large.params


def test_a_large_request_names_the_limit_of_its_kind() -> None:
    limits = Limits(size=2_500, sampling_size=7_000)
    form, sampling = (
        form_request(params={"message": "x" * 7_000}),
        form_request(kind="sampling", params={"x": "x" * 7_000}),
    )
    refused, refused_sampling = too_large([form], limits), too_large([sampling], limits)
    assert refused is not None
    assert refused_sampling is not None
    assert refused.reason == Reason.of(ReasonCode.TOO_LARGE, kilobytes=2)
    assert refused_sampling.reason == Reason.of(ReasonCode.SAMPLING_TOO_LARGE, kilobytes=7)
    assert ("2500" in refused.message, "7000" in refused_sampling.message) == (True, True)


def test_an_excerpt_is_short_under_any_limit() -> None:
    long = form_request(params={"mode": "form", "message": "x" * 20 * EXCERPT})
    assert size(excerpt(long, Limits(size=2**20))) < size(long.params)


def test_pending_requests_are_limited_in_number_and_size() -> None:
    limits = Limits(pending=3, size=100)
    two = [form_request(params={}), form_request(params={})]
    assert too_many(two, 1, 0, limits) is None
    by_number, by_size = too_many(two, 2, 0, limits), too_many(two, 1, limits.pending_size, limits)
    assert by_number is not None
    assert by_number.reason.code is ReasonCode.TOO_MANY_PENDING
    assert by_size is not None
    assert by_size.reason == Reason.of(ReasonCode.PENDING_TOO_LARGE, n=1)
    at_once = too_many(two, 0, limits.pending_size, limits)
    assert at_once is not None
    assert at_once.reason == Reason.of(ReasonCode.TOO_LARGE_AT_ONCE, n=2, kilobytes=limits.pending_size // 1000)
    assert {each.limit for each in (by_number, by_size, at_once)} == {Limit.PENDING}
    # Both have {} as parameters, so these bytes are the last that fit.
    assert too_many(two, 1, limits.pending_size - 4, limits) is None
    assert too_many(two, 1, limits.pending_size - 3, limits) is not None
    assert f"at most {limits.pending} " in by_number.message
    assert f"at most {limits.pending_size} bytes" in by_size.message


def test_the_size_of_what_waits_follows_the_larger_kind() -> None:
    assert Limits(size=100, sampling_size=1).pending_size == 1600
    assert Limits(size=1, sampling_size=100).pending_size == 200


def test_requests_to_others_are_limited_in_number_and_size() -> None:
    limits = Limits(pending=2)
    two = [form_request(params={}), form_request(params={})]
    assert too_many_of_program(two, 0, 0, limits) is None
    by_number, by_size = too_many_of_program(two, 1, 0, limits), too_many_of_program(two, 0, 2**40, limits)
    assert by_number is not None
    assert by_size is not None
    assert by_number.reason == Reason.of(ReasonCode.OTHERS_TOO_MANY_PENDING, n=1)
    assert by_size.reason.code is ReasonCode.TOO_LARGE_AT_ONCE


def test_a_server_learns_that_the_person_declined() -> None:
    messages = {state: rejection(form_request(state=state)) for state in (RequestState.DECLINED, RequestState.EXPIRED)}
    assert messages[RequestState.DECLINED] == "User rejected form request"
    assert "rejected" not in messages[RequestState.EXPIRED]


def test_a_muted_server_learns_nothing() -> None:
    assert muted() == Refusal(Limit.MUTED, Reason(ReasonCode.SERVER_MUTED), "")


def test_requests_of_a_user_are_limited_in_number_and_size() -> None:
    limits = Limits(pending=3, user_pending=6)
    two = [form_request(params={}), form_request(params={})]
    assert limits.user_pending_size == 2 * limits.pending_size
    assert too_many_of_user(two, 4, 0, limits) is None
    by_number = too_many_of_user(two, 5, 0, limits)
    by_size = too_many_of_user(two, 4, limits.user_pending_size, limits)
    assert by_number is not None
    assert by_size is not None
    assert by_number.reason == Reason.of(ReasonCode.TOO_MANY_OF_USER, n=5)
    assert by_size.reason == Reason.of(ReasonCode.TOO_LARGE_OF_USER, n=4)
    assert {each.limit for each in (by_number, by_size)} == {Limit.USER_PENDING}
    assert too_many_of_user(two, 4, limits.user_pending_size - 4, limits) is None
    # A server learns nothing of what others ask.
    assert "5" not in by_number.message


def test_a_round_has_no_more_than_may_wait_for_a_user() -> None:
    limits = Limits(pending=3, user_pending=2)
    assert limits.user_pending_size == limits.pending_size
    assert too_many_at_once(2, limits) is None
    refused = too_many_at_once(3, limits)
    assert refused is not None
    assert refused.reason == Reason.of(ReasonCode.TOO_MANY_AT_ONCE, n=3, most=2)
