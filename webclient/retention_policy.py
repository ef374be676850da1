"""What is kept of what people typed, and for how long: the values, and the entries of the history."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from webclient.forms.fields import read_form
from webclient.forms.withheld import withheld
from webclient.model import InputRequest


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPolicy:
    """For how long `values` and whole `entries` are kept; no time at all for values keeps none, None is for ever."""

    values: timedelta = timedelta(days=30)
    entries: timedelta | None = None

    def withheld_from_answer(self, request: InputRequest, content: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of those values of an answer that are not kept once they were sent."""
        if not self.values:
            return tuple(content)
        form = read_form(request.params.get("requestedSchema") or {})
        return withheld(form, content, str(request.params.get("message", "")))

    def withheld_from_call(self, schema: Any, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of those arguments, of a call with this `inputSchema`, that are not kept once it ended."""
        return withheld(read_form(schema or {}), arguments) if self.values else tuple(arguments)
