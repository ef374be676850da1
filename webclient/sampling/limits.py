"""The limits of a rule, as a pure function: whether one more use of a model exceeds one of them."""

from __future__ import annotations

from webclient.domain.model import Reason, ReasonCode, SamplingRule, Spent, Usage


def exceeded(rule: SamplingRule, spent: Spent, estimate: Usage, *, turn: int, extended: bool = False) -> Reason | None:
    """Return the limit that a use of a model would exceed; None if it fits.

    `spent` is what the server has used today, with everything that is running; `estimate` is the most that this use
    probably takes. `extended`: the person wants the conversation to go on beyond its turns.
    """
    if turn > rule.turns and not extended:
        return Reason.of(ReasonCode.SAMPLING_TURN_LIMIT, n=rule.turns)
    if rule.requests is not None and spent.requests >= rule.requests:
        return Reason.of(ReasonCode.SAMPLING_REQUEST_LIMIT, n=rule.requests)
    if rule.tokens is not None and spent.tokens + estimate.tokens > rule.tokens:
        return Reason.of(ReasonCode.SAMPLING_TOKEN_LIMIT, most=rule.tokens, used=spent.tokens, wanted=estimate.tokens)
    if rule.cost is not None and estimate.cost is not None:
        used = spent.cost_in(estimate.currency)
        if used + estimate.cost > rule.cost:
            return Reason.of(
                ReasonCode.SAMPLING_COST_LIMIT,
                most=rule.cost,
                used=round(used, 4),
                wanted=round(estimate.cost, 4),
                currency=estimate.currency,
            )
    return None
