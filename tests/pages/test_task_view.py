"""The task of a call on its page: when a warning begins, and what the page says in each state."""

from __future__ import annotations

from datetime import timedelta

import pytest

from webclient.domain.model import Call, CallKind, CallLog, CallState, ServerState, ServerStatus, Task, TaskStatus, now
from webclient.web.http import render_text
from webclient.web.pages.calls.call_view import CallView
from webclient.web.pages.calls.task_view import SOON, task_view_of

HOSTILE = "<b>\u202eevil</b> https://evil.example/"


def call(state: CallState = CallState.RUNNING, task: Task | None = None) -> Call:
    return Call(
        user_id="ada", server_id="s1", server_label="it", kind=CallKind.TOOL, name="trip", state=state, task=task
    )


def page(of: Call, **options: object) -> str:
    """Return the section of the task on the call's page."""
    view = CallView(
        call=of,
        title="",
        server=None,
        status=ServerStatus(state=ServerState.CONNECTED),
        requests=[],
        links=[],
        log=CallLog(),
        task_view=task_view_of(of, **options),  # type: ignore[arg-type]
    )
    return render_text("calls/_task.html", call_view=view) + render_text("calls/_result.html", call_view=view)


@pytest.mark.parametrize(
    ("ttl", "left", "warns"),
    [
        (timedelta(days=1), timedelta(hours=1), False),
        (timedelta(days=1), SOON - timedelta(seconds=1), True),
        (timedelta(minutes=4), timedelta(minutes=3), False),
        (timedelta(minutes=4), timedelta(seconds=59), True),
        (timedelta(minutes=4), timedelta(seconds=-5), True),
    ],
)
def test_a_page_warns_before_the_server_forgets_the_task(ttl: timedelta, left: timedelta, warns: bool) -> None:
    """A time to live is the server's to keep (MCP 2025-11-25, Tasks, TTL; extension of 2026-07-28, X11)."""
    task = Task(id="t1", ttl=int(ttl / timedelta(milliseconds=1)), received_at=now() - (ttl - left))
    view = task_view_of(call(task=task))
    assert view is not None
    assert view.warns is warns
    warning = page(call(task=task)).partition("data-warns")[2].partition(">")[0]
    assert ("hidden" in warning) is not warns


@pytest.mark.parametrize(
    ("status", "confirmed"),
    [(TaskStatus.CANCELLED, "cancelled"), (TaskStatus.COMPLETED, "late"), (TaskStatus.WORKING, "no")],
)
def test_a_stopped_call_says_whether_its_task_was_cancelled(status: TaskStatus, confirmed: str) -> None:
    assert f'data-confirmed="{confirmed}"' in page(call(CallState.CANCELLED, Task(id="t1", status=status)))
    assert "data-confirmed" not in page(call(CallState.DONE, Task(id="t1", status=status)))


@pytest.mark.parametrize("state", list(CallState))
def test_no_warning_without_a_limit_or_after_the_end(state: CallState) -> None:
    task = Task(id="t1", ttl=1, received_at=now() - timedelta(hours=1)) if state.ended else Task(id="t1")
    assert "data-warns" not in page(call(state, task))
    assert "hidden" in page(call(state)).partition(">")[0], "a call without a task has an empty place for it"


@pytest.mark.parametrize("status", list(TaskStatus))
def test_words_of_the_server_are_escaped_and_shown_once(status: TaskStatus) -> None:
    html = page(call(task=Task(id=HOSTILE, status=status, status_message=HOSTILE)))
    assert "<b>" not in html
    assert "\u202e" not in html
    assert "href" not in html
    assert html.count("data-task-message") == (status is TaskStatus.WORKING)


def test_the_next_check_counts_down_and_comes_again() -> None:
    """Clients SHOULD respect the interval that the server wants (R3, X3), and the page says when they ask."""
    task = Task(id="t1", poll_interval=5_000)
    assert 'data-every="5000"' in page(call(task=task), next_check=now() + timedelta(seconds=3))
    odd = Task(id="t1", poll_interval=10**12)
    assert 'data-every="60000"' in page(call(task=odd), next_check=now() + timedelta(seconds=60))
    assert "data-every" not in page(call(CallState.DONE, task), next_check=now())
