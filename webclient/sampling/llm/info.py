"""A language model as it is configured: its names, its place, how good, fast and costly it is, and its prices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PER = 1_000_000
"""Tokens that prices are given for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices per million tokens that a model reads (`input`) and writes (`output`)."""

    input: float
    output: float
    currency: str = "USD"

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        """Return the price of so many tokens."""
        return (input_tokens * self.input + output_tokens * self.output) / PER


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """A language model that can be chosen; it holds no key and no address with a secret in it.

    `host` is where requests go, with the port if it is not the usual one; "" for a model inside of this program.
    `intelligence`, `speed` and `cost` are the operator's figures from 0 to 1, where 1 is the best, the fastest and the
    most expensive. `stands_for` are names of other models for which this one is to be taken.
    """

    id: str
    label: str
    name: str
    host: str = ""
    intelligence: float = 0.5
    speed: float = 0.5
    cost: float = 0.5
    prices: Prices | None = None
    stands_for: Sequence[str] = ()
