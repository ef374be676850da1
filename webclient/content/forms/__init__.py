"""Forms: from a server's JSON Schema to fields, and from a posted form back to content that may be sent.

Pure functions over data: no web, SDK, store or network. Every schema gives a form at bounded cost, and every posted
form gives content or a sentence for each wrong field. Nothing is invented: an untouched optional field stays out of the
content, and `null` is sent only where a person wrote it as JSON.

- `read_form` and `read_arguments` make a `Form` from a `requestedSchema` or an `inputSchema`; `read_program_form` from
  the schema of a program, whose root may be a choice (`has_shapes`).
- `parse` and `parse_json` read what was posted; `check_answer` and its kin validate content as it will
  be sent.
- `fill_all`, `edit`, `json_from_fields` and `fields_from_json` change what the controls contain.
- `review` compares content with the defaults before sending.
- `fault_in_condition` and `holds` take a schema as the condition of a rule, strictly.
- `draftable`, `asks_for_secret`, `withheld_values` and their kin keep secrets out of drafts, history and database.
"""

from webclient.content.forms.conditions import fault_in_condition, holds
from webclient.content.forms.drafts import as_posted, draftable, files_to_choose, touched, typed_texts, withheld_fields
from webclient.content.forms.edits import edit
from webclient.content.forms.field import Texts
from webclient.content.forms.fields import read_arguments, read_form, read_program_form
from webclient.content.forms.files import FILE, data_uri
from webclient.content.forms.filling import fill_all
from webclient.content.forms.form import Form
from webclient.content.forms.json_form import JSON_CONTROL, check_answer, fields_from_json, json_from_fields, parse_json
from webclient.content.forms.parse import Parsed, parse, posted_texts
from webclient.content.forms.plain_text import as_plain_text, in_words
from webclient.content.forms.review import Review, review
from webclient.content.forms.secrets import (
    DOTS,
    asks_for_secret,
    concealed,
    is_secret_field,
    secrets_to_confirm,
    withheld_values,
)
from webclient.content.forms.shapes import has_shapes
from webclient.content.forms.validation import Path, Violation, check, check_arguments, prefilled, violations
from webclient.content.forms.writing.json_text import read_json, write_json

__all__ = [
    "DOTS",
    "FILE",
    "JSON_CONTROL",
    "Form",
    "Parsed",
    "Path",
    "Review",
    "Texts",
    "Violation",
    "as_plain_text",
    "as_posted",
    "asks_for_secret",
    "check",
    "check_answer",
    "check_arguments",
    "concealed",
    "data_uri",
    "draftable",
    "edit",
    "fault_in_condition",
    "fields_from_json",
    "files_to_choose",
    "fill_all",
    "has_shapes",
    "holds",
    "in_words",
    "is_secret_field",
    "json_from_fields",
    "parse",
    "parse_json",
    "posted_texts",
    "prefilled",
    "read_arguments",
    "read_form",
    "read_json",
    "read_program_form",
    "review",
    "secrets_to_confirm",
    "touched",
    "typed_texts",
    "violations",
    "withheld_fields",
    "withheld_values",
    "write_json",
]
