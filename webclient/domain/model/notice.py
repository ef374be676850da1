"""Notices: what tells a person elsewhere that a question waits. They name who asks, and never what is asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum

from webclient.domain.model.common import Json, new_id, now
from webclient.domain.time_zones import read_zone

DEFAULT_WAIT = timedelta(seconds=10)


class TargetKind(StrEnum):
    """Where notices go: to a browser by Web Push, or to a program by a webhook."""

    PUSH = "push"
    WEBHOOK = "webhook"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """The hours of each day in which no notice is sent, by the clock of a time zone; they may pass midnight."""

    begin: time
    end: time
    zone: str

    def end_of(self, moment: datetime) -> datetime | None:
        """Return when the quiet hours around a moment end; None outside of them."""
        # The zone was known when it was stored; another system, or a later database of zones, may not know it.
        here = moment.astimezone(read_zone(self.zone) or UTC)
        clock = here.time().replace(tzinfo=None, fold=0)
        passes_midnight = self.end <= self.begin
        inside = clock >= self.begin or clock < self.end if passes_midnight else self.begin <= clock < self.end
        if not inside:
            return None
        day = here.date() + timedelta(days=1 if passes_midnight and clock >= self.begin else 0)
        ends = datetime.combine(day, self.end, here.tzinfo).astimezone(moment.tzinfo)
        # In the hour that comes twice in autumn, the clock may say an end that is over already.
        return ends if ends > moment else moment + timedelta(hours=1)

    def to_json(self) -> Json:
        """Return it as JSON for its row."""
        return {"begin": self.begin.isoformat("minutes"), "end": self.end.isoformat("minutes"), "zone": self.zone}

    @classmethod
    def from_json(cls, stored: Json) -> QuietHours:
        """Read what `to_json` has written."""
        begin, end = time.fromisoformat(stored["begin"]), time.fromisoformat(stored["end"])
        return cls(begin=begin, end=end, zone=stored["zone"])


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeSettings:
    """A person's settings, and the last notice that they were sent.

    `wait` is how long a question waits before there is a notice. `last_at` is when the last one was made, `last_id` the
    request that it was about, and `unheeded` how many were made since a person last reacted to one. `push_key` is the
    private key that signs what goes to push services. `noticed_sign_ins` has the ids of noticed sign-ins.
    """

    user_id: str
    wait: timedelta = DEFAULT_WAIT
    quiet: QuietHours | None = None
    last_at: datetime | None = None
    last_id: str = ""
    unheeded: int = 0
    push_key: str = field(default="", repr=False)
    noticed_sign_ins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeTarget:
    """One browser or program that gets the notices of a person.

    `label` is its name on the page, `language` that of its sentences. `secrets` has its address and its keys. It is
    `failing_since` the first of the posts that failed, with `failure` as the last reason, until one succeeds;
    `disabled_at` is when it was given up.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    kind: TargetKind
    label: str
    language: str = "en"
    created_at: datetime = field(default_factory=now)
    failing_since: datetime | None = None
    failure: str = ""
    disabled_at: datetime | None = None
    secrets: Json = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A notice on its way to a target: it failed `failures` times, and is sent at `next_at`."""

    id: str
    user_id: str
    target_id: str
    failures: int = 0
    next_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class DueNotice:
    """The notice to make now: of these requests and sign-ins, to all targets of the user; `unheeded` counts it.

    `sign_in_ids` are all that wait, `request_ids` what was not noticed yet of both.
    """

    id: str = field(default_factory=new_id)
    user_id: str
    request_ids: tuple[str, ...]
    sign_in_ids: tuple[str, ...] = ()
    at: datetime
    unheeded: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRequest:
    """A request that waits for a person, without its content: who asks, since when, and whether it was noticed.

    Or a sign-in that a server wants.
    """

    id: str
    asked_by: str
    created_at: datetime
    is_noticed: bool
    is_sign_in: bool = False
