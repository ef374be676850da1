"""Call forms: a tool, prompt, resource or template of a catalog with the form that runs it.

The arguments of a tool become fields by the same code as a server's questions, or JSON if fields cannot express them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from webclient.content.forms import (
    Form,
    Review,
    check_arguments,
    fill_all,
    parse,
    read_arguments,
    read_form,
    read_json,
    write_json,
)
from webclient.content.visible_text import visible
from webclient.domain.errors import NotFoundError
from webclient.domain.i18n import gettext as _
from webclient.domain.model import Call, CallKind, Catalog, Json, TypedArgument
from webclient.web.pages.posted_form import Posted, first
from webclient.web.pages.servers import uri_templates
from webclient.web.pages.servers.catalog_entries import CatalogEntry, Kind, digest, entries_of

LONGEST_TYPED = 500
"""Characters of a value for which others are suggested."""

JSON_CONTROL = "arguments"
"""The control for arguments as JSON; fields are named f0, f1 and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallForm(CatalogEntry):
    """One entry of the catalog with its form. `shape` changes with the schema of the form."""

    shape: str
    form: Form

    @property
    def as_json(self) -> bool:
        """Whether the arguments can only be written as JSON."""
        return self.form.as_json


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """The content that a form would send, the errors that prevent it, and the comparison with the form."""

    content: Mapping[str, Any]
    missing: Mapping[str, str]
    review: Review
    scope: str = ""

    @property
    def to_fill_in(self) -> list[tuple[str, str]]:
        """The fields that still need attention: each label with the id to focus, "" if there is none."""
        return [(label, control and f"{self.scope}-{control}") for label, control in self.review.missing]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledForm:
    """A posted call form: the arguments, or the errors with the typed text.

    `errors` are by property, or "" for the whole, `inside` by the control of a field within another. `focus` is the
    control to focus, `said` the announcement, `preview` what would be sent, if it was asked for.
    """

    kind: CallKind
    name: str
    arguments: Json | None = None
    errors: Mapping[str, str] = field(default_factory=dict)
    inside: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, Sequence[str]] = field(default_factory=dict)
    focus: str = ""
    said: str = ""
    preview: Preview | None = None

    @property
    def json(self) -> str | None:
        """The arguments as typed in JSON, or None if the form has fields."""
        return self.texts[JSON_CONTROL][-1] if JSON_CONTROL in self.texts else None

    @property
    def is_right(self) -> bool:
        """Whether the form has no errors."""
        return not self.errors and not self.inside


def read_call_form(entry: CatalogEntry) -> CallForm:
    """Return the entry with its form."""
    schema = _schema(entry.kind, entry.item)
    # The entry has its own title; the schema's title is mostly an internal name.
    form = replace((read_arguments if entry.kind == "tool" else read_form)(schema), title="")
    return CallForm(
        kind=entry.kind,
        name=entry.name,
        item=entry.item,
        position=entry.position,
        scope=entry.scope,
        turn=entry.turn,
        is_repeated=entry.is_repeated,
        shape=digest(schema),
        form=form,
    )


def find_call_form(catalog: Catalog, kind: str, name: str, shape: str = "") -> CallForm:
    """Return the call form of that kind and name; of several, the one with that `shape`. Raises NotFoundError."""
    found = (each for entries in entries_of(catalog).values() for each in entries)
    same = [each for each in found if each.kind == kind and each.name == name]
    if not same:
        raise NotFoundError(_("The server does not have “{name}” now.").format(name=name))
    if len(same) > 1 and shape:
        same.sort(key=lambda each: _shape(each) != shape)
    return read_call_form(same[0])


def fill(call_form: CallForm, posted: Posted) -> FilledForm:
    """Read a posted call form."""
    if call_form.kind == "tool" and (call_form.as_json or any(name == JSON_CONTROL for name, _text in posted)):
        return _fill_json(call_form, first(posted, JSON_CONTROL))
    parsed = parse(call_form.form, posted)
    if call_form.kind == "template":
        uri = uri_templates.expand(call_form.name, {name: str(value) for name, value in parsed.content.items()})
        return FilledForm(kind=CallKind.RESOURCE, name=uri, errors=parsed.errors, texts=parsed.texts)
    return FilledForm(
        kind=CallKind(call_form.kind),
        name=call_form.name,
        arguments=None if call_form.kind == "resource" else parsed.content,
        errors=parsed.errors,
        inside=parsed.inside,
        texts=parsed.texts,
    )


def typed_argument(call_form: CallForm, posted: Posted, control: str) -> TypedArgument | None:
    """Return the argument in the posted field of that control, or None.

    The other arguments that are filled in come with it.
    """
    field = next((each for each in call_form.form.fields if each.control == control), None)
    if field is None or call_form.kind not in ("prompt", "template"):
        return None
    filled = parse(call_form.form, posted).content
    others = tuple((name, str(value)) for name, value in filled.items() if name != field.name)
    return TypedArgument(
        kind="prompt" if call_form.kind == "prompt" else "template",
        name=call_form.name,
        argument=field.name,
        value=first(posted, control)[:LONGEST_TYPED],
        others=others,
    )


def refill(call_form: CallForm, call: Call) -> FilledForm:
    """Return the form filled in as for `call`; values that are no longer stored are errors."""
    stored = {name: each for name, each in (call.arguments or {}).items() if name not in call.gone}
    texts = None if call_form.as_json else fill_all(call_form.form.fields, stored)
    if texts is not None:
        again = dict.fromkeys(call.gone, _("This was not stored. Fill it in again."))
        return FilledForm(kind=call.kind, name=call.name, errors=again, texts=texts)
    missing = ", ".join(f"“{visible(name, 120)}”" for name in call.gone)
    errors = (
        {"": _("Some arguments were not stored. Fill in {names} again.").format(names=missing)} if call.gone else {}
    )
    return FilledForm(kind=call.kind, name=call.name, errors=errors, texts={JSON_CONTROL: [write_json(stored)]})


def _fill_json(call_form: CallForm, text: str) -> FilledForm:
    made = FilledForm(kind=CallKind(call_form.kind), name=call_form.name, texts={JSON_CONTROL: [text]})
    try:
        arguments = read_json(text)
    except ValueError as wrong:
        return replace(made, errors={"": str(wrong)})
    errors = check_arguments(call_form.form.schema, arguments)
    return replace(made, errors=errors, arguments=arguments if isinstance(arguments, dict) else None)


def _shape(entry: CatalogEntry) -> str:
    return digest(_schema(entry.kind, entry.item))


def _schema(kind: Kind, item: Json) -> Any:
    if kind == "tool":
        return item.get("inputSchema")
    if kind == "prompt":
        return _of_arguments(item.get("arguments"))
    if kind == "template":
        return _of_variables(uri_templates.variables(item["uriTemplate"]))
    return {"type": "object", "properties": {}}


def _of_arguments(arguments: Any) -> Json:
    """Make a schema of the arguments of a prompt (MCP, PromptArgument)."""
    listed = arguments if isinstance(arguments, list) else []
    given = [each for each in listed if isinstance(each, Mapping) and isinstance(each.get("name"), str)]
    return {
        "type": "object",
        "properties": {
            each["name"]: {"type": "string"} | {key: each[key] for key in ("title", "description") if key in each}
            for each in given
        },
        "required": [each["name"] for each in given if each.get("required") is True],
    }


def _of_variables(needed: Mapping[str, bool]) -> Json:
    return {
        "type": "object",
        "properties": {name: {"type": "string", "minLength": 1} for name in needed},
        "required": [name for name, is_needed in needed.items() if is_needed],
    }
