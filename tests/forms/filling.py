"""How tests describe a form, fill it in as a browser would, and look at its HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from webclient.content.forms.fields import Field, Form, read_form
from webclient.content.forms.form import Texts
from webclient.content.forms.parse import Parsed, parse
from webclient.domain.i18n import gettext, ngettext
from webclient.support.paths import TEMPLATES
from webclient.web.http.assets import asset
from webclient.web.http.filters import fill
from webclient.web.http.sentence_gaps import gap

SCOPE = "q7"

EVERY: dict[str, Any] = {
    "name": {"type": "string", "title": "Name", "description": "As in the passport", "minLength": 1},
    "note": {"type": "string", "maxLength": 500},
    "email": {"type": "string", "format": "email"},
    "site": {"type": "string", "format": "uri"},
    "day": {"type": "string", "format": "date"},
    "moment": {"type": "string", "format": "date-time"},
    "count": {"type": "integer"},
    "price": {"type": "number"},
    "sure": {"type": "boolean"},
    "few": {"enum": ["a", "b"]},
    "some": {"enum": [str(n) for n in range(10)]},
    "many": {"enum": [str(n) for n in range(40)]},
    "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1},
    "tons": {"type": "array", "items": {"enum": [str(n) for n in range(40)]}},
    "lines": {"type": "array", "items": {"type": "string"}},
    "fixed": {"const": "v1"},
}
"""A property for every kind of field."""

DEFAULTS: dict[str, Any] = {
    "name": "Ann",
    "note": "\nHi",
    "email": "a@example.com",
    "site": "https://example.com",
    "day": "2026-12-24",
    "moment": "2026-12-24T18:30:00+01:00",
    "count": 3,
    "price": 2.5,
    "sure": False,
    "few": "b",
    "some": "7",
    "many": "33",
    "tags": ["b"],
    "tons": ["4", "39"],
    "lines": ["x", " y"],
    "fixed": "v1",
}
"""A default for each of them."""

_templates = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
_templates.filters["fill"] = fill
_templates.globals |= {"_": gettext, "ngettext": ngettext, "gap": gap, "asset": asset}


def schema_of(*required: str, **properties: Any) -> dict[str, Any]:
    """Return the schema of a form with these properties."""
    return {"type": "object", "properties": properties, "required": list(required)}


def form_of(*required: str, **properties: Any) -> Form:
    """Return the form with these properties."""
    return read_form(schema_of(*required, **properties))


def field_of(schema: Any, *, required: bool = False) -> Field:
    """Return the field that one property becomes."""
    return form_of(*(["it"] if required else []), it=schema).fields[0]


def post(form: Form, typed: Texts | None = None) -> Parsed:
    """Parse the form as first shown, except for the controls in `typed`."""
    return parse(form, pairs({**form.texts, **(typed or {})}))


def pairs(texts: Texts) -> list[tuple[str, str]]:
    """Return what a browser posts for controls with these `texts`."""
    return [(control, text) for control, texts in texts.items() for text in texts]


def answer(schema: Any, *typed: str, required: bool = True, **companions: str) -> Any:
    """Return the value of the only field after typing; None if left out, or an error."""
    form = form_of(*(["it"] if required else []), it=schema)
    texts = {"f0": list(typed), **{f"f0.{suffix}": [text] for suffix, text in companions.items()}}
    parsed = parse(form, pairs(texts))
    return ValueError(parsed.errors["it"]) if parsed.errors else parsed.content.get("it")


def render(
    form: Form,
    texts: Texts | None = None,
    errors: Mapping[str, str] | None = None,
    inside: Mapping[str, str] | None = None,
    masked: Sequence[str] = (),
) -> str:
    """Return the HTML of the form's fields."""
    edits = "/edits" if form.deep else ""
    return _templates.get_template("forms/_fields.html").render(
        form=form,
        texts=texts,
        errors=errors or {},
        inside=inside or {},
        scope=SCOPE,
        edits=edits,
        focus="",
        masked=masked,
    )


def render_summary(form: Form, errors: Mapping[str, str]) -> str:
    """Return the HTML of the error summary."""
    return _templates.get_template("forms/_error_summary.html").render(
        form=form, texts=None, errors=errors, inside={}, scope=SCOPE
    )


class Page(HTMLParser):
    """The elements of a piece of HTML: tag, attributes, and the text of text boxes, as a browser reads them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.boxes: dict[str, str] = {}
        self.text = ""
        self._box: str | None = None
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the element."""
        self.elements.append((tag, dict(attrs)))
        if tag == "textarea":
            self._box = dict(attrs)["name"]
            self.boxes[str(self._box)] = ""

    def handle_endtag(self, tag: str) -> None:
        """Close a text box; its first line break is not part of its text (HTML, textarea)."""
        if tag == "textarea":
            self.boxes[str(self._box)] = self.boxes[str(self._box)].removeprefix("\n")
            self._box = None

    def handle_data(self, data: str) -> None:
        """Keep the text."""
        if self._box is not None:
            self.boxes[self._box] += data
        else:
            self.text += data

    def all(self, *tags: str) -> list[dict[str, str | None]]:
        """Return the attributes of all elements with one of the tags."""
        return [attributes for tag, attributes in self.elements if tag in tags]

    def posted(self) -> Sequence[tuple[str, str]]:
        """Return what a browser posts for an untouched form."""
        return [*self._inputs(), *self._selected(), *self.boxes.items()]

    def _inputs(self) -> Iterable[tuple[str, str]]:
        for each in self.all("input"):
            if each.get("type") not in ("radio", "checkbox") or "checked" in each:
                yield str(each["name"]), str(each.get("value") or "")

    def _selected(self) -> Iterable[tuple[str, str]]:
        name = ""
        for tag, attributes in self.elements:
            if tag == "select":
                name = str(attributes["name"])
            if tag == "option" and "selected" in attributes:
                yield name, str(attributes.get("value") or "")
