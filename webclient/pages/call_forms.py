"""Call forms: the tools, prompts, resources and templates of a catalog, each with the form that runs it.

The arguments of a tool become fields by the same code as a server's questions, or JSON if fields cannot express them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal

from webclient.errors import NotFoundError
from webclient.forms import (
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
from webclient.i18n import gettext as _
from webclient.model import Call, CallKind, Catalog, Json
from webclient.pages import uri_templates
from webclient.pages.posted_form import Posted, first
from webclient.visible_text import visible

Kind = Literal["tool", "prompt", "resource", "template"]

JSON_CONTROL = "arguments"
"""The control for arguments as JSON; fields are named f0, f1 and so on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallForm:
    """One entry of the catalog with its form. `item` is the server's entry, verbatim; `position` its place in the list.

    `scope` prefixes its ids on the page and does not change with the rest of the list. `shape` changes
    with the schema of its form.
    """

    kind: Kind
    name: str
    item: Json
    position: str
    scope: str
    shape: str
    form: Form

    @property
    def title(self) -> str:
        """The title for people, or else the name (MCP, BaseMetadata)."""
        annotations = self.item.get("annotations")
        annotated = annotations.get("title") if isinstance(annotations, Mapping) else None
        return str(self.item.get("title") or annotated or self.item.get("name") or self.name)

    @property
    def hints(self) -> list[str]:
        """The annotations in words; they are only the server's claims (MCP, ToolAnnotations)."""
        annotations = self.item.get("annotations")
        given = annotations if isinstance(annotations, Mapping) else {}
        return [words for key, value, words in _hints() if given.get(key) is value]

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


def read_call_forms(catalog: Catalog, name: str | None = None) -> dict[Kind, list[CallForm]]:
    """Return the call forms of the catalog by kind, in the server's order; with `name`, only those."""
    return {
        "tool": _call_forms("tool", catalog.tools, "name", name),
        "prompt": _call_forms("prompt", catalog.prompts, "name", name),
        "resource": _call_forms("resource", catalog.resources, "uri", name),
        "template": _call_forms("template", catalog.resource_templates, "uriTemplate", name),
    }


def find_call_form(catalog: Catalog, kind: str, name: str) -> CallForm:
    """Return the call form of that kind and name. Raises NotFoundError."""
    found = (each for made, call_forms in read_call_forms(catalog, name).items() for each in call_forms if made == kind)
    call_form = next(found, None)
    if call_form is None:
        raise NotFoundError(_("The server does not have {name!r} now.").format(name=name))
    return call_form


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


def _call_forms(kind: Kind, items: list[Json], key: str, name: str | None) -> list[CallForm]:
    found = [
        (index, item)
        for index, item in enumerate(items)
        if isinstance(item.get(key), str) and name in (None, item[key])
    ]
    seen: Counter[str] = Counter()
    call_forms = []
    for index, item in found:
        seen[item[key]] += 1
        call_forms.append(_call_form(kind, item, item[key], index, seen[item[key]]))
    return call_forms


def _call_form(kind: Kind, item: Json, name: str, index: int, turn: int) -> CallForm:
    schema = _schema(kind, item)
    # The entry has its own title; the schema's title is mostly an internal name.
    form = replace((read_arguments if kind == "tool" else read_form)(schema), title="")
    # A name should be there once (MCP, Tool Names), an id on the page must.
    scope = f"{kind}-{_digest([name, turn])}"
    return CallForm(
        kind=kind, name=name, item=item, position=f"{kind}-{index}", scope=scope, shape=_digest(schema), form=form
    )


def _digest(value: Any) -> str:
    # Unsorted: the order of the properties is that of the fields.
    return sha256(json.dumps(value).encode()).hexdigest()[:16]


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
    given = [each for each in arguments or [] if isinstance(each, Mapping) and isinstance(each.get("name"), str)]
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


def _hints() -> list[tuple[str, bool, str]]:
    return [
        ("readOnlyHint", True, _("read-only")),
        ("destructiveHint", True, _("destructive")),
        ("idempotentHint", True, _("idempotent")),
        ("openWorldHint", True, _("external")),
    ]
