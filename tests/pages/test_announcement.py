"""Announcements to screen readers on one page, each made once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from tests.store.rows import listed
from webclient.domain.model import InputRequest, ListedRequest, Requester, RequestState, Sampling, Stage, now
from webclient.web.http import render_text
from webclient.web.pages.inbox.announcement import Announced, Announcement
from webclient.web.pages.page_context import PageContext

OPENED = now()
BEFORE = InputRequest(
    user_id="ada",
    server_id="s1",
    kind="sampling",
    params={},
    asked_by=Requester(label="trips", address="", claims=None),
    created_at=OPENED - timedelta(minutes=1),
)


def at(stage: Stage, run: int = 0, request: InputRequest = BEFORE) -> ListedRequest:
    return listed(replace(request, sampling=Sampling(stage=stage, started_at=OPENED + timedelta(seconds=run))))


def words(announcement: Announcement) -> str:
    page_context = PageContext(cursor="", opened=0, servers=[], waiting=1)
    return render_text("stream/_announcement.html", announcement=announcement, page_context=page_context)


def test_an_answer_of_a_model_is_announced_once_for_each_run() -> None:
    announced = Announced(OPENED)
    assert not announced.news_of([at(Stage.GENERATING)])
    ready = announced.news_of([at(Stage.REVIEWING)])
    assert (ready.ready, ready.new) == ([at(Stage.REVIEWING)], [])
    assert "trips" in words(ready)
    assert not announced.news_of([at(Stage.REVIEWING)])
    assert not announced.news_of([at(Stage.GENERATING, 5)])
    assert announced.news_of([at(Stage.REVIEWING, 5)]).ready


def test_a_request_that_a_rule_approved_is_announced_as_new() -> None:
    announced = Announced(OPENED)
    came = replace(BEFORE, created_at=OPENED + timedelta(seconds=1))
    assert announced.news_of([at(Stage.GENERATING, request=came)]).new
    news = announced.news_of([at(Stage.REVIEWING, request=came)])
    assert not news.new
    assert news.ready


def test_a_settled_answer_is_not_announced_as_ready() -> None:
    settled = replace(at(Stage.REVIEWING), state=RequestState.ACCEPTED)
    assert not Announced(OPENED).news_of([settled])
