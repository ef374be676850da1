"""A rule on the calls of agents: which ones run, about which ones a person is asked first, and which are refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from webclient.domain.model.common import Json

MOST_RULES = 200
"""Rules of one user."""

ADMINISTRATORS = ""
"""In the place of a user's id: the rules of administrators, which stand above those of each user."""


MOST_REPORTS = 10
"""Rules that one call notes."""


class Then(StrEnum):
    """The effect of a rule."""

    RUN = "run"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule; what is empty or None fits every call.

    `agent` is the name of an agent or the id of its token, `server` the label or id of a server. `tool` is the name of
    a tool, in which `*` stands for any text. `annotations` are those that the tool has; None as a value: that it does
    not say. `arguments` is a JSON Schema that the arguments fit. `tool_digest` is that of the tool as it was when the
    rule was made: another version of it does not fit. A rule that is `report_only` has no effect before `counts_from`,
    or ever if that is None; calls note what it would have done. After `until` it is over.
    """

    id: str
    then: Then
    agent: str = ""
    server: str = ""
    tool: str = ""
    annotations: Mapping[str, Any] | None = None
    arguments: Json | bool | None = None
    tool_digest: str = ""
    report_only: bool = False
    counts_from: datetime | None = None
    until: datetime | None = None

    def holds_at(self, moment: datetime) -> bool:
        """Return whether the rule is not over."""
        return self.until is None or moment < self.until

    def only_reports_at(self, moment: datetime) -> bool:
        """Return whether the rule has no effect, and calls note what it would have done."""
        return self.report_only and (self.counts_from is None or moment < self.counts_from)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The effect that a rule would have had on a call if it had not only reported, beside what became of the call."""

    rule: str
    then: Then
    instead_of: Then

    @classmethod
    def of(cls, written: Json) -> Report:
        """Return the report that `asdict` has made JSON of."""
        return cls(rule=written["rule"], then=Then(written["then"]), instead_of=Then(written["instead_of"]))
