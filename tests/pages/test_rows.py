"""The rows of the inbox's list: whose question, what for, and since when."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.forms.filling import Page
from tests.store.rows import a_request, listed
from webclient.content.forms import DOTS
from webclient.domain.i18n import speaking
from webclient.domain.languages import translations
from webclient.domain.model import Action, Alarm, CallContext, CallKind, Delivery, InputRequest, RequestState, Risk, now
from webclient.inbox.kinds import read_once
from webclient.web.http.filters import age, tile_color
from webclient.web.http.templating import render_text
from webclient.web.pages.inbox.inbox_entries import InboxEntry, Row, entries_of

CALL = CallContext(kind=CallKind.TOOL, name="prolong", arguments={"item": "contract 3"}, withheld=("key",))


def entry_text(*requests: InputRequest) -> str:
    """Return the entry of these requests as HTML."""
    [entry] = entries_of(map(listed, requests))
    return render_text("requests/_entry.html", entry=entry, suffix="", selected=())


def of_round(**fields: object) -> InputRequest:
    """Return a question of the call."""
    return a_request(call_id="c1", during=CALL, round=1, total=2, **fields)


def test_a_group_names_its_server_call_and_progress() -> None:
    saved = of_round(state=RequestState.ACCEPTED, delivery=Delivery.SAVED, settled_at=now())
    [line] = re.findall(r'<p class="inbox__call">.*?</p>', entry_text(of_round(), saved), re.DOTALL)
    facts = " ".join(Page(line).text.split())
    assert "travel" in facts
    assert f"prolong(item: contract 3, key: {DOTS})" in facts
    assert "1 of 2" in facts
    assert f"tile--{tile_color('travel')}" in line


def test_a_group_without_short_arguments_has_the_name_alone() -> None:
    assert InboxEntry(key="c1", requests=[listed(of_round())]).arguments_line
    long = CallContext(kind=CallKind.TOOL, name="prolong", arguments={"item": "x" * 100})
    text = entry_text(a_request(call_id="c1", during=long), a_request(call_id="c1"))
    assert "prolong</bdi>" in text


def test_an_entry_shows_the_title_of_the_tool() -> None:
    [alone] = entries_of([listed(a_request(call_id="c1", during=CALL))])
    row = render_text("requests/_entry.html", entry=replace(alone, title="Prolong it"), suffix="", selected=())
    assert '<bdi lang="" title="prolong">Prolong it</bdi>' in row
    [group] = entries_of(map(listed, [of_round(), of_round()]))
    text = render_text("requests/_entry.html", entry=replace(group, title="Prolong it"), suffix="", selected=())
    assert f"Prolong it (item: contract 3, key: {DOTS})" in text


def test_each_row_outside_a_group_has_the_tile_of_its_server() -> None:
    assert entry_text(a_request()).count(f"tile--{tile_color('travel')}") == 1
    assert entry_text(of_round(), of_round()).count(f"tile--{tile_color('travel')}") == 1


def test_an_age_reads_as_time_that_has_passed() -> None:
    assert age(now() - timedelta(minutes=31, seconds=5)) == "31 min ago"
    with speaking(translations("zh-Hans")):
        assert age(now() - timedelta(minutes=31, seconds=5)) == "31 分钟前"
        assert age(now() - timedelta(days=2, seconds=5)) == "2 天前"


@pytest.mark.parametrize("alarm", [*Alarm, None])
def test_a_row_says_in_words_what_to_warn_of(alarm: Alarm | None) -> None:
    found = re.findall(r'data-alarm="(.*?)">(.*?)</strong>', entry_text(a_request(alarm=alarm)))
    assert [code for code, words in found if words] == ([alarm] if alarm else [])


def test_a_settled_row_warns_no_more() -> None:
    settled = a_request(alarm=Alarm.SECRET, state=RequestState.DECLINED, settled_at=now())
    assert Row(request=listed(settled)).alarm is None


def test_only_a_waiting_row_says_draft() -> None:
    waiting = replace(listed(a_request()), has_draft=True)
    decided = replace(waiting, decided=Action.DECLINE, undo_until=now())
    assert [Row(request=each).has_draft for each in (waiting, decided)] == [True, False]
    text = render_text("requests/_row.html", row=Row(request=waiting), suffix="", in_group=False, selected=())
    assert "request-row__draft" in text


def test_a_warning_stands_in_place_of_what_is_asked_for() -> None:
    asks = Row(request=listed(a_request())).asks
    assert asks in entry_text(a_request())
    assert asks not in entry_text(a_request(alarm=Alarm.SECRET))


def proposed(**arguments: object) -> InputRequest:
    """Return an approval as it is stored."""
    tool = {"name": "wipe", "title": "Delete file", "annotations": {"destructiveHint": True}}
    params = {"tool": tool, "message": "It is old.", "arguments": arguments}
    call = CallContext(kind=CallKind.TOOL, name="wipe")
    request = a_request(kind="approval", params=params, during=call)
    return replace(request, **read_once(request))


def test_an_approval_shows_title_agent_arguments_and_risk_once() -> None:
    text = " ".join(Page(entry_text(proposed(path="a.txt", force=True))).text.split())
    wanted = ("Delete file", "May delete", "travel", "path: a.txt, force: true")
    assert [text.count(each) for each in wanted] == [1, 1, 1, 1]
    assert [text.find(each) for each in wanted] == sorted(text.find(each) for each in wanted)
    assert "wipe" not in text


def test_an_approval_shows_no_secret_argument() -> None:
    request = proposed(path="a.txt", password="hunter2!x")
    assert request.withheld == ("password",)
    text = Page(entry_text(request)).text
    assert "hunter2" not in text
    assert f"password: {DOTS}" in text


def test_an_approval_of_long_arguments_shows_their_beginning() -> None:
    many = {f"n{each}": "x" * 1_000 for each in range(1000)}
    text = Page(entry_text(proposed(**many))).text
    assert len(text) < 1000
    assert "n0: xxx" in text
    assert Row(request=listed(proposed(**many))).arguments_line.endswith(", …")


@pytest.mark.parametrize("risk", [*Risk, None])
def test_a_row_says_in_words_why_it_stands_above(risk: Risk | None) -> None:
    found = re.findall(r'data-risk="(.*?)">(.*?)</span>', entry_text(a_request(risk=risk)))
    assert [code for code, words in found if words] == ([risk] if risk else [])


def test_a_warning_and_a_risk_stand_side_by_side() -> None:
    text = entry_text(a_request(risk=Risk.ADDRESS, alarm=Alarm.DISGUISED))
    assert "data-risk" in text
    assert "data-alarm" in text


def test_questions_stand_by_risk_then_deadline_then_age() -> None:
    moments = [now() + timedelta(minutes=n) for n in range(8)]
    wanted = [
        a_request(risk=Risk.MONEY, expires_at=moments[6], created_at=moments[4]),
        a_request(risk=Risk.DESTRUCTIVE, created_at=moments[1]),
        a_request(risk=Risk.MONEY, created_at=moments[2]),
        a_request(risk=Risk.ADDRESS, created_at=moments[5]),
        a_request(risk=Risk.OUTSIDE, created_at=moments[6]),
        a_request(expires_at=moments[7], created_at=moments[3]),
        a_request(created_at=moments[0]),
    ]
    found = entries_of(map(listed, reversed(wanted)))
    assert [each.key for each in found] == [each.id for each in wanted]
