"""The base of the API's JSON: models that are made from the domain's objects, and leave out what is not there.

Our own keys are snake_case; values from MCP are passed through verbatim.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SkipValidation,
    WithJsonSchema,
    model_validator,
)

from webclient.domain.model import ConnectionFault, Json, Reason
from webclient.web.http import shown

T = TypeVar("T")


class Shape(BaseModel):
    """An object of the API's JSON."""

    model_config = ConfigDict(from_attributes=True)

    @classmethod
    def of(cls, found: object, **computed: Any) -> Self:
        """Return the shape of `found`: each value is `computed`, or the attribute of the same name.

        Raises AttributeError if there is neither, also in the shapes within it: no value is absent by oversight.
        """
        return cls(**_read(cls, found, computed.keys()), **computed)

    @model_validator(mode="before")
    @classmethod
    def _read_within(cls, found: object) -> object:
        # Pydantic reads attributes as well, but takes the default for one that does not exist.
        return found if isinstance(found, dict | Shape) else _read(cls, found)

    def as_json(self) -> Json:
        """Return it as plain data."""
        return self.model_dump(mode="json")


def _read(shape: type[Shape], found: object, computed: Collection[str] = ()) -> Json:
    return {name: getattr(found, name) for name in shape.model_fields if name not in computed}


def moment(at: datetime) -> str:
    """Return a moment as the API has it (RFC 3339, in UTC)."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def sentence(of: Reason | ConnectionFault) -> str:
    """Return a sentence with at most 4,000 characters, a server's words in it included."""
    return shown(of, 4000)


def _present(schema: dict[str, Any]) -> None:
    # A value that may be absent is never null.
    schema.pop("default", None)
    kinds = [kind for kind in schema.pop("anyOf", ()) if kind != {"type": "null"}]
    schema |= {"anyOf": kinds} if len(kinds) > 1 else dict(*kinds)


_ABSENT = Field(exclude_if=lambda value: value is None, json_schema_extra=_present)

Maybe = Annotated[T | None, _ABSENT]
"""A value that is left out if it is None."""

Filled = Annotated[T | None, BeforeValidator(lambda value: value or None), _ABSENT]
"""A value that is left out if it is empty or false."""

Verbatim = Annotated[dict[str, Any], SkipValidation]
"""An object from MCP, or one that is sent as it is."""

Moment = Annotated[datetime, PlainSerializer(moment, return_type=str), WithJsonSchema({"type": "string"})]
