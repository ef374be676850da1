"""One field of a form with the fields in it: a property as a person sees it, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from webclient.content.forms.files import file_in_words, largest, media_type
from webclient.content.forms.values import is_number
from webclient.content.forms.writing.dates import fits_date_input, fits_local_input
from webclient.domain.i18n import gettext as _

Kind = Literal[
    "text",
    "textarea",
    "email",
    "uri",
    "date",
    "datetime",
    "integer",
    "number",
    "boolean",
    "choice",
    "choices",
    "lines",
    "constant",
    "unfillable",
    "group",
    "list",
    "map",
    "json",
    "shapes",
    "file",
]
Widget = Literal[
    "input",
    "textarea",
    "radios",
    "select",
    "combobox",
    "checkboxes",
    "fixed",
    "none",
    "group",
    "list",
    "map",
    "json",
    "shapes",
    "file",
]

Texts = Mapping[str, Sequence[str]]
"""The texts in the controls of a form, by control name, exactly as typed."""

Entered = dict[str, list[str]]
"""Texts by control name, to be changed."""

MOST_RADIOS = 5
MOST_SELECTED = 20
MOST_ENTRIES = 200
"""The most entries of a list or map that are shown; a longer value is written as JSON."""
MOST_IN_A_ROW = 4
ROW = 40
"""The most options that stand in a row, and the most characters of them all."""
ONE_LINE = 40
"""A text of at most this many characters fits one line."""

TEXT_KINDS: frozenset[Kind] = frozenset({"text", "textarea", "email", "uri"})
NESTING: frozenset[Kind] = frozenset({"group", "list", "map", "shapes"})
"""Kinds that contain further fields."""
ITEMS, KEY, JSON = ".items", ".key", ".json"
"""Suffixes of further controls: the keys of the entries, the name of an entry, and a value written as JSON."""
_WIDGETS: dict[Kind, Widget] = {
    "boolean": "radios",
    "choices": "checkboxes",
    "constant": "fixed",
    "lines": "textarea",
    "textarea": "textarea",
    "unfillable": "none",
    "group": "group",
    "list": "list",
    "map": "map",
    "json": "json",
    "shapes": "shapes",
    "file": "file",
}
_INPUT_MODES = {"email": "email", "uri": "url", "integer": "numeric", "number": "decimal"}


class Option(NamedTuple):
    """One value to choose from; a control with the text `key` has chosen it.

    `label` and `detail` are safe to look at, and `text` differs from every other option's.
    """

    key: str
    value: Any
    label: str
    detail: str = ""

    @property
    def text(self) -> str:
        """The option in one line."""
        return f"{self.label} — {self.detail}" if self.detail else self.label


class Field(NamedTuple):
    """One property of the schema as a person sees it; a tuple, because that is cheap and a form may have a thousand.

    `name` is the server's and goes into the content; `control` is ours and goes into the HTML, so that no name of
    a server can collide with a field of the page. `format` is a sentence on a pattern that the server's description
    explains. `schema` is the property's own, with references followed. `default` is None unless it is valid; a constant
    keeps its value there. `guessed`: other kinds of values would do.
    `parts` are the fields of a group, or what one entry of a list or map looks like; `inner` and `entry` give them with
    their controls. A map that `spreads` takes further properties of the group it is in. `shapes` are a choice between
    groups, with an option for each of `parts`; it spreads the values of the chosen one.
    """

    name: str
    control: str
    kind: Kind
    label: str
    schema: Mapping[str, Any]
    description: str = ""
    more: str = ""
    required: bool = False
    default: Any = None
    options: tuple[Option, ...] = ()
    constraints: tuple[str, ...] = ()
    format: str = ""
    may_be_empty: bool = False
    guessed: bool = False
    reason: str | None = None
    parts: tuple[Field, ...] = ()
    spreads: bool = False

    @property
    def inner(self) -> tuple[Field, ...]:
        """The fields of a group, or the shapes of a choice, with their controls."""
        return tuple([part._replace(control=f"{self.control}.{n}") for n, part in enumerate(self.parts)])

    def shape(self, texts: Texts) -> Field | None:
        """Return the group of the shape that is chosen in `texts`; None if none is."""
        chosen = (texts.get(self.control) or [""])[-1]
        return next((part for part, option in zip(self.inner, self.options, strict=True) if option.key == chosen), None)

    @property
    def choices(self) -> list[tuple[Option, tuple[Field, ...]]]:
        """The options of a choice with the fields to show: not the constants that tell all shapes apart."""
        constants = [{part.name for part in shape.parts if part.kind == "constant"} for shape in self.parts]
        telling = frozenset.intersection(*map(frozenset, constants)) if len(constants) > 1 else frozenset()
        shown = [tuple([each for each in shape.inner if each.name not in telling]) for shape in self.inner]
        return list(zip(self.options, shown, strict=True))

    def entry(self, key: str) -> Field:
        """Return the field of the entry `key` of a list or map; keys never change."""
        return self.parts[0]._replace(control=f"{self.control}.{key}")

    def entries(self, texts: Texts) -> list[tuple[str, Field]]:
        """Return key and field of each entry in `texts`, with a number in its label."""
        keys = dict.fromkeys(key for key in texts.get(self.control + ITEMS, ()) if key.isdecimal() and key.isascii())
        entries = [(key, self.entry(key)) for key in list(keys)[:MOST_ENTRIES]]
        return [(key, each._replace(label=f"{each.label} {n}")) for n, (key, each) in enumerate(entries, 1)]

    @property
    def widget(self) -> Widget:
        """The HTML control of the field."""
        if self.kind != "choice":
            return _WIDGETS.get(self.kind, "input")
        if len(self.options) <= MOST_RADIOS:
            return "radios"
        return "select" if len(self.options) <= MOST_SELECTED else "combobox"

    @property
    def grouped(self) -> bool:
        """Whether the field is a group of controls under one legend."""
        return self.widget in ("radios", "checkboxes") or self.kind == "datetime"

    @property
    def focus(self) -> str:
        """The id of the control to focus: the first one of a group."""
        return (
            f"{self.control}-{self.options[0].key}"
            if self.widget in ("radios", "checkboxes", "shapes")
            else self.control
        )

    @property
    def asks_time(self) -> bool:
        """Whether it has a choice of time zone."""
        return self.kind == "datetime" or any(part.asks_time for part in self.parts)

    @property
    def takes_any_text(self) -> bool:
        """Whether its control takes free text."""
        return self.widget in ("input", "textarea", "combobox")

    @property
    def insists(self) -> bool:
        """Whether the HTML control gets `required`; a group does not, and a list may be empty."""
        return self.required and not self.may_be_empty and self.kind != "lines"

    @property
    def may_grow(self) -> bool:
        """Whether its one-line control may contain text of several lines."""
        return self.kind == "text" and (self.longest is None or self.longest > ONE_LINE)

    @property
    def hint(self) -> str:
        """The constraints in one paragraph."""
        return " ".join(self.constraints)

    @property
    def media_type(self) -> str:
        """The type of the file that a file field takes, or ""."""
        return media_type(self.schema)

    @property
    def most_bytes(self) -> int:
        """The largest file that a file field takes."""
        return largest(self.schema)

    def chosen_file(self, text: str) -> str:
        """Return the type and size of the file in the text of a file field."""
        return file_in_words(text) if text else ""

    @property
    def counts(self) -> bool:
        """Whether its only constraint is a greatest length, which a counter shows as well."""
        return self.longest is not None and len(self.constraints) == 1 and not self.schema.get("minLength")

    @property
    def in_a_row(self) -> bool:
        """Whether its options are few and short, and stand in a row."""
        if self.widget != "radios" or len(self.ticks) > MOST_IN_A_ROW:
            return False
        return not any(each.detail for each in self.ticks) and sum(len(each.label) for each in self.ticks) <= ROW

    def described(self, place: str, error: str | None) -> str:
        """Return the value of `aria-describedby` for the control whose id is `place`."""
        parts = ((self.description, "about"), (self.constraints, "hint"), (error, "error"))
        return " ".join([f"{place}-{suffix}" for said, suffix in parts if said])

    @property
    def ticks(self) -> tuple[Option, ...]:
        """The buttons or boxes of a group; an optional choice has one for no answer."""
        if self.required or self.widget != "radios":
            return self.options
        return (*self.options, Option("", None, _("No answer")))

    @property
    def longest(self) -> int | None:
        """The greatest length of a text, or None if the schema has no valid `maxLength`."""
        most: Any = self.schema.get("maxLength")
        if self.kind not in TEXT_KINDS or not is_number(most):
            return None
        return int(most) if most >= 0 else None

    @property
    def input_mode(self) -> str:
        """The keyboard that suits the field."""
        return _INPUT_MODES.get(self.kind, "text")

    def input_type(self, text: str) -> str:
        """Return the HTML input type that can show `text`; a date picker drops other text silently."""
        if self.kind == "date" and fits_date_input(text):
            return "date"
        if self.kind == "datetime" and fits_local_input(text):
            return "datetime-local"
        return "text"
