"""Fills in URI templates of resources (RFC 6570 up to level 3, text values).

Unlike the SDK's, this accepts every template, since nothing is matched here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

_RESERVED = ":/?#[]@!$&'()*+,;="
_EXPRESSION = re.compile(r"\{([+#./;?&]?)([^{}]+)\}")
_MODIFIER = re.compile(r"\*$|:\d+$")


class _Operator(NamedTuple):
    first: str
    between: str
    named: bool = False
    safe: str = ""
    empty: str = "="


_OPERATORS = {
    "": _Operator("", ","),
    "+": _Operator("", ",", safe=_RESERVED),
    "#": _Operator("#", ",", safe=_RESERVED),
    ".": _Operator(".", "."),
    "/": _Operator("/", "/"),
    ";": _Operator(";", ";", named=True, empty=""),
    "?": _Operator("?", "&", named=True),
    "&": _Operator("&", "&", named=True),
}
"""RFC 6570, appendix A."""


def variables(template: str) -> dict[str, bool]:
    """Return the variables in order, and whether each is required; those of a query are not."""
    found: dict[str, bool] = {}
    for operator, names in _EXPRESSION.findall(template):
        for name in _names(names):
            found[name] = found.get(name, False) or operator not in ("?", "&", "#")
    return found


def expand(template: str, values: Mapping[str, str]) -> str:
    """Expand `template`; variables without a value are omitted."""
    return _EXPRESSION.sub(lambda found: _expanded(found[1], _names(found[2]), values), template)


def _expanded(operator: str, names: list[str], values: Mapping[str, str]) -> str:
    rule = _OPERATORS[operator]
    parts = [_part(rule, name, values[name]) for name in names if name in values]
    return rule.first + rule.between.join(parts) if parts else ""


def _part(rule: _Operator, name: str, value: str) -> str:
    text = quote(value, safe=rule.safe + "-._~")
    if not rule.named:
        return text
    return f"{name}={text}" if text else f"{name}{rule.empty}"


def _names(names: str) -> list[str]:
    return [_MODIFIER.sub("", name.strip()) for name in names.split(",")]
