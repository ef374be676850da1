"""The form of a server's rule for language models: what is typed into it, and the rule that it makes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from webclient.domain.i18n import gettext as _
from webclient.domain.model import SamplingRule
from webclient.sampling.llm import ModelInfo
from webclient.web.pages.posted_form import Posted, first

ASK, APPROVE, UNSEEN = "ask", "approve", "unseen"
"""The choices: the person sees each request and answer, each answer, or neither."""

MOST_TURNS = 1000
_MOST = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleForm:
    """The texts of the form by control, the `rule` that they make, and sentences on what is wrong by control."""

    texts: Mapping[str, str]
    rule: SamplingRule
    errors: Mapping[str, str] = field(default_factory=dict)
    models: Sequence[ModelInfo] = ()


def form_of_rule(rule: SamplingRule, models: Sequence[ModelInfo] = ()) -> RuleForm:
    """Return the form of a stored rule."""
    numbers = {"turns": rule.turns, "requests": rule.requests, "tokens": rule.tokens, "cost": rule.cost}
    texts = {name: "" if value is None else f"{value:.15g}" for name, value in numbers.items()}
    asks = UNSEEN if rule.sends_unseen else APPROVE if rule.approve else ASK
    return RuleForm(texts={**texts, "rule": asks, "model": rule.model}, rule=rule, models=models)


def read_rule(posted: Posted, models: Sequence[ModelInfo]) -> RuleForm:
    """Read the posted form."""
    texts = {name: first(posted, name).strip() for name in ("rule", "turns", "requests", "tokens", "cost", "model")}
    errors: dict[str, str] = {}
    turns = _whole(texts["turns"], 1, MOST_TURNS)
    requests, tokens = (_whole(texts[name], 1, _MOST) if texts[name] else None for name in ("requests", "tokens"))
    cost = _amount(texts["cost"]) if texts["cost"] else None
    if turns is None:
        errors["turns"] = _("Enter a whole number from 1 to {most}.").format(most=MOST_TURNS)
    errors |= {
        name: _("Enter a whole number above 0, or nothing.")
        for name, value in (("requests", requests), ("tokens", tokens))
        if texts[name] and value is None
    }
    if texts["cost"] and cost is None:
        errors["cost"] = _("Enter an amount above 0, such as 0.50, or nothing.")
    if texts["rule"] not in (ASK, APPROVE, UNSEEN):
        errors["rule"] = _("Choose one of the rules.")
    approves = texts["rule"] in (APPROVE, UNSEEN)
    if approves and not errors and requests is None and tokens is None:
        errors["requests"] = _("Approving automatically needs a limit: enter one for requests or tokens.")
    if texts["model"] and texts["model"] not in [model.id for model in models]:
        errors["model"] = _("This model is not set up here. Choose another one.")
    rule = SamplingRule(
        approve=approves,
        unseen=texts["rule"] == UNSEEN,
        turns=turns or SamplingRule().turns,
        requests=requests,
        tokens=tokens,
        cost=cost,
        model=texts["model"],
    )
    return RuleForm(texts=texts, rule=rule, errors=errors, models=models)


def _whole(text: str, least: int, most: int) -> int | None:
    value = int(text) if text.isascii() and text.isdigit() and len(text) < 14 else 0
    return value if least <= value <= most else None


def _amount(text: str) -> float | None:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        return None
    return value if isfinite(value) and 0 < value <= _MOST else None
