"""Chooses a model by the preferences of a server, and says why it was chosen.

MCP 2025-11-25, Sampling, Model Preferences: hints are substrings of names of models; they are evaluated in order, the
first match wins, and they come before the priorities. The client makes the final choice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from webclient.domain.model import Json, Reason, ReasonCode
from webclient.sampling.llm.info import ModelInfo

_MOST_HINTS = 20
"""Hints that are looked at; the server could send any number."""

_QUOTED = 80
"""Characters of a hint that the explanation repeats."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The model that fits best, and the reason for it, which is shown to the person."""

    model: ModelInfo
    reason: Reason


@dataclass(frozen=True, slots=True)
class _Priorities:
    """How much a server wants each, from 0 to 1."""

    intelligence: float
    speed: float
    cost: float

    @property
    def are_given(self) -> bool:
        return any((self.intelligence, self.speed, self.cost))

    def score(self, model: ModelInfo) -> float:
        """Return how well a model fits: the sum of its figures, weighted by the priorities."""
        return self.intelligence * model.intelligence + self.speed * model.speed + self.cost * (1 - model.cost)

    def best(self, models: Sequence[ModelInfo]) -> ModelInfo:
        """Return the model with the highest score; of equal ones the first."""
        return max(models, key=self.score)


def choose(models: Sequence[ModelInfo], preferences: Json | None) -> Choice | None:
    """Return the model that fits `modelPreferences` best, with the reason; None if there is no model.

    The preferences come from outside: what has a wrong type is ignored.
    """
    if not models:
        return None
    given = preferences if isinstance(preferences, Mapping) else {}
    hints, priorities = _hints(given), _priorities(given)
    if len(models) == 1:
        return Choice(models[0], Reason.of(ReasonCode.MODEL_ONLY))
    for hint in hints:
        if matching := [model for model in models if matches(model, hint)]:
            return _hinted(matching, hint, priorities)
    return _without_hint(models, hints, priorities)


def matches(model: ModelInfo, hint: str) -> bool:
    """Return whether a hint is part of a name of the model, ignoring case.

    A hint also matches a model that stands for the one it names."""
    wanted = hint.casefold()
    if any(wanted in name.casefold() for name in (model.name, model.id, model.label)):
        return True
    # “MAY also map the hint to a different provider's model”: the operator says for which.
    others = [name.casefold() for name in model.stands_for]
    return any(wanted in name or name in wanted for name in others)


def _hinted(matching: Sequence[ModelInfo], hint: str, priorities: _Priorities) -> Choice:
    shown = hint[:_QUOTED]
    if len(matching) > 1 and priorities.are_given:
        return Choice(priorities.best(matching), Reason.of(ReasonCode.MODEL_BY_HINT_AND_PRIORITIES, hint=shown))
    return Choice(matching[0], Reason.of(ReasonCode.MODEL_BY_HINT, hint=shown))


def _without_hint(models: Sequence[ModelInfo], hints: Sequence[str], priorities: _Priorities) -> Choice:
    unmatched = ", ".join(hints)[:_QUOTED]
    if priorities.are_given:
        wanted = {
            "intelligence": round(100 * priorities.intelligence),
            "speed": round(100 * priorities.speed),
            "cost": round(100 * priorities.cost),
        }
        best = priorities.best(models)
        if hints:
            return Choice(best, Reason.of(ReasonCode.MODEL_BY_PRIORITIES_NOT_HINTS, hints=unmatched, **wanted))
        return Choice(best, Reason.of(ReasonCode.MODEL_BY_PRIORITIES, **wanted))
    if hints:
        return Choice(models[0], Reason.of(ReasonCode.MODEL_FIRST_NOT_HINTS, hints=unmatched))
    return Choice(models[0], Reason.of(ReasonCode.MODEL_FIRST))


def _hints(preferences: Mapping[str, Any]) -> list[str]:
    given = preferences.get("hints")
    entries = given[:_MOST_HINTS] if isinstance(given, list) else []
    names = [entry.get("name") for entry in entries if isinstance(entry, Mapping)]
    # An empty name is part of every name, so it says nothing.
    return [name.strip() for name in names if isinstance(name, str) and name.strip()]


def _priorities(preferences: Mapping[str, Any]) -> _Priorities:
    return _Priorities(
        intelligence=_share(preferences.get("intelligencePriority")),
        speed=_share(preferences.get("speedPriority")),
        cost=_share(preferences.get("costPriority")),
    )


def _share(given: Any) -> float:
    # A boolean is an int to Python; NaN fails both comparisons.
    if isinstance(given, bool) or not isinstance(given, int | float):
        return 0
    return float(given) if 0 <= given <= 1 else 0
