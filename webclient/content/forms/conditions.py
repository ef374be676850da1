"""Conditions: a JSON Schema that decides, and does not only help to type.

A form does without what it cannot read in a schema, because the server checks the whole again. Behind a condition no
such check comes, so a schema of which any part would be left out is refused, patterns run in linear time, and a value
that is too much to be checked is undecided.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import jsonschema_rs

from webclient.content.forms import limits
from webclient.content.forms.sanitize import UncheckableError, checkable
from webclient.content.forms.values import is_json
from webclient.domain.i18n import gettext as _

LONGEST = 20_000
"""Characters of a schema as JSON."""

COMPILED = 512
"""Schemas that stay compiled: rules are asked for each call of an agent."""


def fault_in_condition(schema: Any) -> str:
    """Return a sentence on why a schema cannot be a condition, "" if it can."""
    try:
        text = json.dumps(schema, sort_keys=True)
        if len(text) > LONGEST:
            return _("A condition has {n} characters at most.").format(n=LONGEST)
        read = checkable(schema, backtracking=False)
        if isinstance(schema, dict) and json.dumps(read, sort_keys=True) != text:
            return _("This condition has a part that is unknown or may be slow. Leave out all that is not checked.")
        _compiled(text)
    except (UncheckableError, ValueError, RecursionError) as error:
        return _("This condition cannot be checked: {error}").format(error=str(error)[:200])
    return "" if isinstance(schema, dict | bool) else _("A condition is a JSON Schema: an object.")


def holds(schema: Any, value: Any) -> bool | None:
    """Return whether a value fits a condition without faults; None if that is too much to be checked."""
    try:
        if not is_json(value):
            return None
        if isinstance(schema, dict):
            limits.bound(schema, value)
        return _compiled(json.dumps(schema, sort_keys=True)).is_valid(value)
    except (UncheckableError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=COMPILED)
def _compiled(schema: str) -> jsonschema_rs.Draft202012Validator:
    # Nothing is fetched, and no pattern goes back in a text.
    return jsonschema_rs.Draft202012Validator(
        json.loads(schema), validate_formats=True, offline=True, pattern_options=jsonschema_rs.RegexOptions()
    )
