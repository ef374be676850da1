"""Traces are read and written as W3C Trace Context has them, also in the judgement of OpenTelemetry's library."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.trace import get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from tests.tables import each_row
from webclient.domain.model import Trace, new_trace, read_trace, with_trace

ID, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
VALID = f"00-{ID}-{SPAN}-01"


def parts(parent: object, state: object = None) -> tuple[str, str, int, str] | None:
    """Return the parts of a trace that was read."""
    read = read_trace({"traceparent": parent, "tracestate": state})
    return (read.trace_id, read.span_id, read.flags, read.state) if read else None


@pytest.mark.parametrize(
    ("parent", "flags"),
    [
        (VALID, 1),
        (f"00-{ID}-{SPAN}-00", 0),
        (f" \t{VALID} ", 1),
        # Unknown flags, and what a later version has beside.
        (f"00-{ID}-{SPAN}-ff", 1),
        (f"cc-{ID}-{SPAN}-01", 1),
        (f"cc-{ID}-{SPAN}-01-what-the-future-will-be-like", 1),
    ],
)
def test_a_valid_trace_is_read(parent: str, flags: int) -> None:
    assert parts(parent) == (ID, SPAN, flags, "")


@each_row(
    "parent",
    [
        None,
        "",
        1,
        [VALID],
        {"traceparent": VALID},
        "00-1",
        VALID.upper(),
        f"ff-{ID}-{SPAN}-01",
        f"00-{'0' * 32}-{SPAN}-01",
        f"00-{ID}-{'0' * 16}-01",
        f"00-{ID}-{SPAN}-1",
        f"00-{ID}-{SPAN}-01-",
        f"00-{ID}-{SPAN}-01.",
        f"cc-{ID}-{SPAN}-01.what",
        f"{VALID}\n",
        f"{VALID}\r\nX-Evil: 1",
        f"{VALID},{VALID}",
        f"00-{ID[:-1]}é-{SPAN}-01",
        # Digits of another script.
        f"00-{ID[:-1]}٣-{SPAN}-01",
        "00-" + "a" * 1_000_000,
    ],
)
def test_an_invalid_trace_is_dropped(parent: object) -> None:
    assert parts(parent, "a=b") is None


@each_row(
    ("state", "read"),
    [
        ("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"),
        ("a=b , ,\tfw529a3039@dt=FfQ=4;x", None),
        ("a=b , ,\tfw529a3039@dt=FfQ:4;x", "a=b,fw529a3039@dt=FfQ:4;x"),
        ("a=1,a=2", ""),
        ("A=1", ""),
        ("a", ""),
        ("a=", ""),
        ("a=é", ""),
        ("a=1\nb=2", ""),
        (["a=1"], ""),
        (",".join(f"k{n}=1" for n in range(32)), ",".join(f"k{n}=1" for n in range(32))),
        (",".join(f"k{n}=1" for n in range(33)), ""),
    ],
)
def test_the_state_of_a_trace_is_read_or_dropped(state: object, read: str | None) -> None:
    assert parts(VALID, state) == (ID, SPAN, 1, read or "")


def test_a_long_state_is_shortened_from_its_long_members_on() -> None:
    long = f"long={'x' * 200}"
    short = [f"k{n}={'y' * 60}" for n in range(12)]
    assert parts(VALID, ",".join([long, *short])) == (ID, SPAN, 1, ",".join(short[:8]))
    assert parts(VALID, f"{long},a=b") == (ID, SPAN, 1, f"{long},a=b")


def test_a_trace_is_written_as_it_was_read() -> None:
    trace = read_trace({"traceparent": VALID, "tracestate": "a=b"})
    assert trace
    assert trace.headers == {"traceparent": VALID, "tracestate": "a=b"}
    assert with_trace({"traceparent": "00-1", "tracestate": "x", "own": 1}, trace) == {"own": 1, **trace.headers}
    assert with_trace({"traceparent": "00-1", "tracestate": "x", "own": 1}, None) == {"own": 1}


def test_a_new_trace_is_sampled_and_its_own() -> None:
    first, second = new_trace(), new_trace()
    assert first.trace_id != second.trace_id
    assert first.is_sampled
    assert (first.parent_id, second.parent_id) == ("", "")
    # The span of another program may have any parent.
    assert read_trace(first.headers) == replace(first, parent_id=None)


def judged(carrier: dict[str, Any]) -> tuple[str, str, int] | None:
    """Return the parts of a trace as the library of OpenTelemetry reads them."""
    found = get_current_span(TraceContextTextMapPropagator().extract(carrier)).get_span_context()
    return (f"{found.trace_id:032x}", f"{found.span_id:016x}", found.trace_flags & 1) if found.is_valid else None


HEX = st.text("0123456789abcdefA-", min_size=14, max_size=34)


@given(st.one_of(HEX, st.just("00"), st.just("ff"), st.just("01")), HEX, st.text("0123456789abcdef", max_size=18))
def test_the_library_of_opentelemetry_reads_the_same(version: str, trace: str, span: str) -> None:
    for parent in (
        f"{version}-{trace}-{span}-01",
        f"{version}-{ID}-{span}-00",
        f"{version}-{ID}-{SPAN}-01",
        f"{version}-{trace}-{SPAN}-01",
    ):
        read = read_trace({"traceparent": parent})
        assert (read and (read.trace_id, read.span_id, read.flags)) == judged({"traceparent": parent}), parent


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=40))
def test_a_state_is_passed_on_as_opentelemetry_reads_it(state: str) -> None:
    trace = read_trace({"traceparent": VALID, "tracestate": state})
    assert isinstance(trace, Trace)
    found = get_current_span(TraceContextTextMapPropagator().extract(trace.headers)).get_span_context()
    assert found.trace_state.to_header() == trace.state
