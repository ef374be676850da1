"""A form: the person fills in the fields of the server's schema (MCP 2025-11-25, Elicitation, Form Mode)."""

from __future__ import annotations

from collections.abc import Sequence

from webclient.content.forms import (
    JSON_CONTROL,
    Form,
    Parsed,
    check_answer,
    has_shapes,
    parse,
    parse_json,
    withheld_values,
)
from webclient.content.links import Link
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import ngettext
from webclient.domain.model import Action, Alarm, InputRequest, Json, ListedRequest, Mode, ReasonCode
from webclient.inbox.kinds.kind import CheckedAnswer, Kind, Symbol
from webclient.inbox.kinds.prepared import PreparedForm, prepared
from webclient.support.schema_thread import is_long


class FormKind(Kind):
    """Accepted with content that is valid against the server's schema."""

    name = "form"
    mode = Mode.FORM
    mode_off = ReasonCode.FORM_MODE_OFF
    has_form = True

    def takes(self, method: str, params: Json) -> bool:
        """Return whether it is an elicitation in form mode."""
        # Elicitation without a mode is form mode (MCP 2025-11-25, Elicitation Requests: MUST).
        return method == "elicitation/create" and params.get("mode", "form") == "form"

    def form(self, request: InputRequest) -> PreparedForm:
        """Return the form to fill in."""
        schema = request.params.get("requestedSchema") or {}
        return prepared(schema, _message(request), of_program=request.asked_by.is_program)

    def alarm(self, request: InputRequest, link: Link | None) -> Alarm | None:
        """Return whether it asks for a secret."""
        del link
        return Alarm.SECRET if self.form(request).warnings else None

    def is_long(self, request: InputRequest) -> bool:
        """Return whether the schema is long."""
        return is_long(request.params.get("requestedSchema"))

    def parts(self, params: Json) -> int:
        """Return the number of fields."""
        schema = params.get("requestedSchema")
        fields = schema.get("properties") if isinstance(schema, dict) else None
        # Those of a server never offer a choice: it is left to the last check.
        chosen = 1 if has_shapes(schema) and not isinstance(fields, dict) else 0
        return len(fields) if isinstance(fields, dict) else chosen

    def asks(self, listed: ListedRequest) -> str:
        """Return what the person is asked for."""
        n = listed.parts
        return ngettext("{n} field", "{n} fields", n).format(n=n) if n else _("Approve or decline")

    def symbol(self, listed: ListedRequest) -> Symbol:
        """Return what a list shows the question as."""
        return "form" if listed.parts else "confirmation"

    def read(self, request: InputRequest, posted: Sequence[tuple[str, str]]) -> Parsed:
        """Read and check the posted fields, or the posted JSON."""
        form = self.form(request).form
        written = next((text for name, text in posted if name == JSON_CONTROL), None)
        return parse(form, posted) if written is None else parse_json(form, written)

    def check_parsed(self, request: InputRequest, parsed: Parsed) -> CheckedAnswer:
        """Return the answer from the result of `read`. Raises InvalidAnswerError if any of it is wrong."""
        if not parsed.is_right:
            # Even if the readable part alone were valid: typed text that cannot be read must not be left out.
            wrong = parsed.errors or {"": _("Some values inside the fields are wrong.")}
            raise InvalidAnswerError(_("The answer does not fit the form."), wrong)
        return _checked(request, self.form(request).form, parsed.content)

    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        """Check content that is sent unchanged; None is the form as prefilled. Raises InvalidAnswerError."""
        found = self.form(request)
        if found.form.unanswerable:
            raise InvalidAnswerError(found.form.unanswerable, {"": found.form.unanswerable})
        errors = found.errors if content is None else check_answer(found.form, content)
        if errors:
            raise InvalidAnswerError(_("The answer does not fit the form."), dict(errors))
        return _checked(request, found.form, dict(found.content) if content is None else content)


def _checked(request: InputRequest, form: Form, content: Json) -> CheckedAnswer:
    secrets = withheld_values(form, content, _message(request))
    return CheckedAnswer(request=request, action=Action.ACCEPT, content=content, secrets=secrets)


def _message(request: InputRequest) -> str:
    return str(request.params.get("message", ""))
