"""Meters for messages and events, by themselves."""

from __future__ import annotations

import pytest

from webclient.protocol.messages.limits import EventMeter, Meter, TooLargeError


def _values(*pieces: bytes, most: int = 10**6) -> int:
    meter = Meter("max_message_bytes", 10**9, most)
    for piece in pieces:
        meter.feed(piece)
    return meter._values


def test_values_outside_of_strings_are_counted_in_any_pieces() -> None:
    text = rb'{"a, b": [1, "x\",[[[\\", {"c": "\\\""}], "d": "{,"}'
    assert _values(text) == 6
    for cut in range(len(text)):
        assert _values(text[:cut], text[cut:]) == 6, text[:cut]
    assert _values(*(text[n : n + 1] for n in range(len(text)))) == 6
    with pytest.raises(TooLargeError, match="max_message_values"):
        _values(b"[],", b"[]," * 10, most=20)


def test_a_quote_in_a_comment_hides_nothing_from_the_count() -> None:
    """In a stream of events a line of another kind may hold one quote, and JSON has no line break in a string."""
    with pytest.raises(TooLargeError, match="max_message_values"):
        _values(b': "\ndata: ' + b"[]," * 100, most=20)


@pytest.mark.parametrize("line", [b"id: 7\n", b":\r\n", b"data:\r"])
def test_each_line_of_an_event_counts_as_a_value(line: bytes) -> None:
    meter = EventMeter(lambda: Meter("max_message_bytes", 10**9, 1000))
    meter.feed(line * 900)
    with pytest.raises(TooLargeError, match="max_message_values"):
        meter.feed(line * 200)


@pytest.mark.parametrize("blank", [b"\n\n", b"\r\n\r\n", b"\r\r"])
def test_each_event_is_counted_by_itself(blank: bytes) -> None:
    meter = EventMeter(lambda: Meter("max_message_bytes", 100, 10))
    for _event in range(20):
        meter.feed(b"data: " + b"x" * 80 + blank[:1])
        meter.feed(blank[1:])
    meter.feed(b"x" * 60)
    with pytest.raises(TooLargeError, match="max_message_bytes"):
        meter.feed(b"x" * 60)
