"""How many tokens a request probably has, while no provider has counted them."""

from __future__ import annotations

from typing import Any

from webclient.domain.model import Json, Usage
from webclient.sampling.llm.info import ModelInfo

_CHARACTERS = 4
"""Characters of a token in English; most tokenizers need fewer for other languages, so the estimate is rough."""

_WIDE_FROM = 0x2E80
"""The first code point of the scripts, such as Chinese, in which a character is about a token."""

_MEDIA_TOKENS = 1000
"""Tokens that a picture or a recording is taken for, as its bytes say little."""

_MEDIA = ("image", "audio")


def tokens_of_text(text: str) -> int:
    """Return the estimated number of tokens of a text."""
    wide = sum(character >= chr(_WIDE_FROM) for character in text)
    return wide + -(-(len(text) - wide) // _CHARACTERS)


def tokens_of(value: Any) -> int:
    """Return the estimated number of tokens of JSON: messages, tools or parameters."""
    if isinstance(value, str):
        return tokens_of_text(value)
    if isinstance(value, dict):
        if value.get("type") in _MEDIA and "data" in value:
            return _MEDIA_TOKENS
        return sum(tokens_of_text(key) + tokens_of(each) for key, each in value.items())
    if isinstance(value, list):
        return sum(map(tokens_of, value))
    return 1


def tokens_of_request(params: Json) -> int:
    """Return the estimated number of tokens that a model reads for these parameters of `sampling/createMessage`."""
    return sum(tokens_of(params[key]) for key in ("systemPrompt", "messages", "tools") if key in params)


def usage(model: ModelInfo, input_tokens: int, output_tokens: int, *, is_estimate: bool = False) -> Usage:
    """Return the usage with its price by the model's prices."""
    prices = model.prices
    return Usage(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cost=prices.cost(input_tokens, output_tokens) if prices else None,
        currency=prices.currency if prices else "",
        is_estimate=is_estimate,
    )
