"""The timeline of a call: what happened, in order, and in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

from tests.forms.filling import Page
from webclient.http.templating import render_text
from webclient.model import (
    AskedBy,
    Call,
    CallKind,
    CallState,
    Came,
    InputRequest,
    Reason,
    ReasonCode,
    RequestState,
    ServerState,
    ServerStatus,
)
from webclient.pages.call_timeline import MOST, away, timeline, waits_for
from webclient.reasons import sentence

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
CALL = Call(user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="t")


def at(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


def link(url: str, number: int = 1, **fields: object) -> InputRequest:
    values = {"state": RequestState.PENDING, "created_at": at(0)} | fields
    return InputRequest(
        user_id="ada",
        server_id="s1",
        call_id=CALL.id,
        kind="url",
        came=Came.REQUIRED,
        round=number,
        params={"mode": "url", "url": url},
        asked_by=AskedBy(label="it", address="http://127.0.0.1"),
        **values,  # type: ignore[arg-type]
    )


def finished(url: str, **fields: object) -> InputRequest:
    times = {"opened_at": at(1), "settled_at": at(2)} | fields
    said = Reason(ReasonCode.SERVER_REPORTED_FINISHED)
    return replace(link(url), state=RequestState.COMPLETED, reason=said, **times)  # type: ignore[arg-type]


def words(call: Call, *requests: InputRequest) -> list[str]:
    return [f"{step.words} {step.because}".strip() for step in timeline(call, requests)]


def test_call_whose_result_is_an_error_is_not_shown_as_fine() -> None:
    fine = replace(CALL, state=CallState.DONE, result={"content": []})
    failed = replace(fine, result={"content": [], "isError": True})
    for call, dot in ((fine, "done"), (failed, "failed")):
        head = render_text("calls/_header.html", call_view=SimpleNamespace(call=call, server=None))
        assert Page(head).all("span")[0]["class"] == f"dot dot--{dot}"


def test_the_timeline_of_a_link_says_who_finished_it() -> None:
    assert words(CALL, finished("https://drive.example.com/x")) == [
        "it asked you to open drive.example.com.",
        "You agreed to open drive.example.com.",
        f"Finished. {sentence(Reason(ReasonCode.SERVER_REPORTED_FINISHED))}",
        "The call was sent again.",
    ]


def test_the_call_is_sent_again_after_the_last_link() -> None:
    one = finished("https://one.example/", settled_at=at(2))
    two = finished("https://two.example/", settled_at=at(5))
    assert timeline(CALL, [one, two])[-1].at == at(5)
    assert "The call was sent again." not in words(CALL, one, link("https://two.example/"))


def test_a_call_that_still_waits_to_be_sent_was_not_made_again() -> None:
    waits = replace(CALL, checkpoint={"round": 1})
    assert "The call was sent again." not in words(waits, finished("https://one.example/"))


def test_what_was_never_opened_has_no_time_of_opening() -> None:
    declined = link("https://one.example/", state=RequestState.DECLINED, settled_at=at(1))
    assert words(CALL, declined) == ["it asked you to open one.example.", "You declined."]


def test_a_long_trail_shows_its_newest_steps() -> None:
    steps = timeline(CALL, [finished(f"https://example.com/{n}", created_at=at(n)) for n in range(MOST)])
    assert len(steps) == MOST


def test_a_call_mentions_an_absent_server_only_if_it_matters() -> None:
    gone, there = ServerStatus(state=ServerState.RECONNECTING), ServerStatus(state=ServerState.CONNECTED)
    waits = replace(CALL, checkpoint={"round": 1})
    done = finished("https://one.example/")
    assert "is offline" in away(waits, [done], gone)
    assert away(waits, [done], there) == ""
    assert away(waits, [link("https://one.example/")], gone) == ""
    assert away(CALL, [done], gone) == ""
    assert away(CALL, [], gone).startswith("Connecting to ")
    assert away(replace(waits, state=CallState.DONE), [done], gone) == ""


def test_a_call_says_what_it_waits_for() -> None:
    opened = link("https://one.example/x", state=RequestState.WAITING, opened_at=at(1))
    asked_again = replace(opened, came=Came.ROUND)
    pushed = replace(opened, came=Came.PUSHED)
    assert waits_for(CALL, [link("https://one.example/"), opened]) == "Waiting for your answer."
    assert waits_for(CALL, [opened]) == "You opened one.example. The call is sent again when you have finished there."
    assert waits_for(CALL, [opened, opened]).startswith("You opened 2 links. The call is sent again")
    assert waits_for(CALL, [asked_again]) == "You opened one.example. The server waits until you have finished there."
    assert (
        waits_for(CALL, [finished("https://one.example/"), pushed]) == "All questions are answered. The call continues."
    )


def test_a_call_with_possible_requests_is_not_all_answered() -> None:
    assert waits_for(replace(CALL, may_wait=True), []).startswith("May be waiting for your answer")
