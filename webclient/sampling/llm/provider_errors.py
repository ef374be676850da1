"""Why a provider gave no answer, as a reason for the person; nothing of it has a key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from webclient.domain.model import Param, Reason, ReasonCode

_QUOTED = 500
"""Characters of a provider's message that are shown."""

_HIDDEN = "…"
_QUOTA_CODES = ("insufficient_quota", "billing_hard_limit_reached")


def reason_of(status: int, body: Any, *, host: str, label: str, name: str, key: str | None) -> Reason:
    """Return the reason for an HTTP status of a provider; `body` is its error object, if it sent one."""
    params: dict[str, Param] = {"host": host, "status": status}
    if status == HTTPStatus.UNAUTHORIZED:
        # No words of the provider: OpenAI repeats parts of the key.
        code = ReasonCode.MODEL_KEY_REJECTED if key else ReasonCode.MODEL_KEY_WANTED
        return Reason.of(code, model=label, **params)
    if status == HTTPStatus.NOT_FOUND:
        return Reason.of(ReasonCode.MODEL_UNKNOWN, host=host, name=name)
    if (code_of_status := _code_of(status, body)) is not None:
        return Reason.of(code_of_status, **params)
    return Reason.of(ReasonCode.MODEL_REQUEST_REFUSED, words=words_of(body, key), **params)


def _code_of(status: int, body: Any) -> ReasonCode | None:
    """Return the code of a status that says enough by itself."""
    if status == HTTPStatus.PAYMENT_REQUIRED or _error_code(body) in _QUOTA_CODES:
        return ReasonCode.MODEL_QUOTA_USED
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return ReasonCode.MODEL_BUSY
    if status < HTTPStatus.BAD_REQUEST:
        return ReasonCode.MODEL_REDIRECTED
    return ReasonCode.MODEL_PROVIDER_FAILED if status >= HTTPStatus.INTERNAL_SERVER_ERROR else None


def words_of(body: Any, key: str | None) -> str:
    """Return the message in an error object, shortened, without the key; "" if there is none."""
    words = next(_messages(body), "")
    return (words.replace(key, _HIDDEN) if key else words)[:_QUOTED]


def refused_parameter(status: int, body: Any, parameters: Mapping[str, Any]) -> str | None:
    """Return the parameter of the request that a provider refuses by its name; None for any other error."""
    if status not in (HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY):
        return None
    if named := next((name for name in _named(body) if name in parameters), None):
        return named
    said = " ".join(_messages(body))
    # The longest first: a parameter may be part of another name.
    return next((name for name in sorted(parameters, key=len, reverse=True) if _mentions(said, name)), None)


def _named(body: Any) -> Iterator[str]:
    """Yield the parameters in an error: OpenAI has `param`; servers on FastAPI have `detail`, with a `loc` for each."""
    found = body if isinstance(body, Mapping) else {}
    details = found.get("detail")
    places = (
        [each.get("loc") for each in details[:10] if isinstance(each, Mapping)] if isinstance(details, list) else []
    )
    names = [found.get("param"), *(place[-1] for place in places if isinstance(place, list) and place)]
    yield from (name for name in names if isinstance(name, str))


def _mentions(said: str, name: str) -> bool:
    # “stop” and “temperature” are words of sentences as well, so those have to be quoted.
    return re.search(rf"\b{name}\b" if "_" in name else rf"(?:^|['\"`“]|: ){name}(?:$|['\"`”]| is )", said) is not None


def _error_code(body: Any) -> Any:
    return body.get("code") if isinstance(body, Mapping) else None


def _messages(body: Any, depth: int = 4) -> Iterator[str]:
    """Yield the messages of an error object; compatible servers have several forms of it."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, Mapping) and depth:
        for key in ("message", "error", "detail", "msg"):
            yield from _messages(body.get(key), depth - 1)
    elif isinstance(body, list) and depth:
        for each in body[:10]:
            yield from _messages(each, depth - 1)
