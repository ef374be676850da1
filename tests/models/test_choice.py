"""Which model is chosen by the preferences of a server, and what explains it."""

from __future__ import annotations

from typing import Any

import pytest

from webclient.domain.model import Json, ReasonCode
from webclient.domain.reasons import sentence
from webclient.sampling.llm import ModelInfo, Models, ScriptedModel

LARGE = ModelInfo(id="large", label="Large", name="acme/thinker-70b-instruct", intelligence=0.9, speed=0.2, cost=0.9)
SMALL = ModelInfo(
    id="small", label="Small", name="acme/quick-3b", intelligence=0.3, speed=0.9, cost=0.1, stands_for=("haiku",)
)
MIDDLE = ModelInfo(
    id="middle", label="Middle", name="acme/thinker-8b", intelligence=0.6, speed=0.6, cost=0.4, stands_for=("claude",)
)


def models(*infos: ModelInfo) -> Models:
    return Models([ScriptedModel(info) for info in infos])


def chosen(preferences: Any) -> tuple[str, ReasonCode]:
    choice = models(LARGE, SMALL, MIDDLE).choose(preferences)
    assert choice
    assert sentence(choice.reason)
    return choice.model.id, choice.reason.code


def hints(*names: str, **priorities: float) -> Json:
    return {"hints": [{"name": name} for name in names], **priorities}


def test_without_models_nothing_is_chosen() -> None:
    assert models().choose({"hints": [{"name": "claude"}]}) is None
    assert models().all == []


def test_the_only_model_is_chosen_for_any_preference() -> None:
    choice = models(SMALL).choose(hints("gpt"))
    assert choice
    assert (choice.model.id, choice.reason.code) == ("small", ReasonCode.MODEL_ONLY)


def test_without_preferences_the_first_model_is_chosen() -> None:
    empty: list[Json | None] = [None, {}, {"hints": []}, {"speedPriority": 0}]
    for nothing in empty:
        assert chosen(nothing) == ("large", ReasonCode.MODEL_FIRST)


def test_hints_are_tried_in_order_and_the_first_match_wins() -> None:
    """2025-11-25, Sampling, Model Preferences: clients MUST evaluate hints in order; the first match is taken (S4)."""
    assert chosen(hints("quick", "thinker")) == ("small", ReasonCode.MODEL_BY_HINT)
    assert chosen(hints("no-such-model", "8b", "quick")) == ("middle", ReasonCode.MODEL_BY_HINT)


def test_a_hint_is_a_substring_of_a_name_in_any_case() -> None:
    """2025-11-25, Sampling, Model Preferences: hints are substrings that can match model names flexibly (S4)."""
    assert chosen(hints("QUICK")) == ("small", ReasonCode.MODEL_BY_HINT)
    assert chosen(hints("iddl")) == ("middle", ReasonCode.MODEL_BY_HINT)


def test_hints_come_before_priorities() -> None:
    """2026-07-28, Sampling, Model Preferences: clients SHOULD prioritize hints over the numeric priorities (S4)."""
    assert chosen(hints("quick", intelligencePriority=1)) == ("small", ReasonCode.MODEL_BY_HINT)


def test_priorities_decide_among_models_of_one_hint() -> None:
    assert chosen(hints("thinker")) == ("large", ReasonCode.MODEL_BY_HINT)
    assert chosen(hints("thinker", speedPriority=1)) == ("middle", ReasonCode.MODEL_BY_HINT_AND_PRIORITIES)


def test_a_model_stands_for_those_that_the_operator_names() -> None:
    """2025-11-25, Sampling, Model Preferences: clients MAY map hints to models of other providers."""
    assert chosen(hints("claude-3-5-haiku")) == ("small", ReasonCode.MODEL_BY_HINT)
    assert chosen(hints("claude-3-sonnet")) == ("middle", ReasonCode.MODEL_BY_HINT)
    assert chosen(hints("clau")) == ("middle", ReasonCode.MODEL_BY_HINT)


@pytest.mark.parametrize(
    ("wanted", "model"),
    [
        ({"intelligencePriority": 1}, "large"),
        ({"speedPriority": 1}, "small"),
        ({"costPriority": 1}, "small"),
        ({"intelligencePriority": 0.8, "costPriority": 0.5}, "middle"),
    ],
)
def test_priorities_weigh_the_figures_of_the_models(wanted: Json, model: str) -> None:
    assert chosen(wanted) == (model, ReasonCode.MODEL_BY_PRIORITIES)


def test_unmatched_hints_are_named_in_the_explanation() -> None:
    assert chosen(hints("gpt-9", speedPriority=1)) == ("small", ReasonCode.MODEL_BY_PRIORITIES_NOT_HINTS)
    choice = models(LARGE, SMALL).choose(hints("gpt-9", "grok"))
    assert choice
    assert choice.reason.code == ReasonCode.MODEL_FIRST_NOT_HINTS
    assert "gpt-9, grok" in sentence(choice.reason)


@pytest.mark.parametrize(
    "nonsense",
    [
        [],
        "claude",
        {"hints": "claude"},
        {"hints": [None, 7, {"name": 7}, {}, {"name": ""}, {"name": "  "}]},
        {"speedPriority": "1", "costPriority": True, "intelligencePriority": float("nan")},
        {"speedPriority": 7, "costPriority": -1, "intelligencePriority": 10**400},
    ],
)
def test_preferences_of_a_wrong_shape_are_ignored(nonsense: Any) -> None:
    assert chosen(nonsense) == ("large", ReasonCode.MODEL_FIRST)


def test_a_flood_of_long_hints_costs_little_and_shows_little() -> None:
    choice = models(LARGE, SMALL).choose(hints(*["x" * 100_000] * 10_000))
    assert choice
    assert len(sentence(choice.reason)) < 300
