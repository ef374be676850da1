"""A form: the server's schema says which fields to fill in (MCP 2025-11-25, Elicitation, Form Mode)."""

from __future__ import annotations

from collections.abc import Sequence

from webclient.errors import InvalidAnswerError
from webclient.forms import JSON_CONTROL, Form, Parsed, check, parse, parse_json, withheld_values
from webclient.i18n import gettext as _
from webclient.inbox.answers import CheckedAnswer
from webclient.inbox.kinds.kind import Kind
from webclient.inbox.kinds.prepared import PreparedForm, prepared
from webclient.model import Action, InputRequest, Json, Mode
from webclient.schema_thread import is_long


class FormKind(Kind):
    """Accepted with content that is valid by the server's schema."""

    name = "form"
    mode = Mode.FORM
    has_form = True

    def takes(self, method: str, params: Json) -> bool:
        """Whether it is an elicitation in form mode."""
        # Elicitation without a mode is form mode (MCP 2025-11-25, Elicitation Requests: MUST).
        return method == "elicitation/create" and params.get("mode", "form") == "form"

    def form(self, request: InputRequest) -> PreparedForm:
        """Return the form to fill in."""
        return prepared(request.params.get("requestedSchema") or {}, _message(request))

    def is_long(self, request: InputRequest) -> bool:
        """Whether the schema is long."""
        return is_long(request.params.get("requestedSchema"))

    def read(self, request: InputRequest, posted: Sequence[tuple[str, str]]) -> Parsed:
        """Read and judge what was posted, as fields or as JSON."""
        form = self.form(request).form
        written = next((text for name, text in posted if name == JSON_CONTROL), None)
        return parse(form, posted) if written is None else parse_json(form, written)

    def check_parsed(self, request: InputRequest, parsed: Parsed) -> CheckedAnswer:
        """Return the answer that `read` has read. Raises InvalidAnswerError if anything in it is wrong."""
        if parsed.errors:
            # Also if the readable part alone would be valid: typed text that cannot be read must not be left out.
            raise InvalidAnswerError(_("The answer does not fit the form."), parsed.errors)
        return _checked(request, self.form(request).form, parsed.content)

    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        """Judge content that is sent unchanged; None is the form as prefilled. Raises InvalidAnswerError."""
        found = self.form(request)
        if found.form.unanswerable:
            raise InvalidAnswerError(found.form.unanswerable, {"": found.form.unanswerable})
        errors = found.errors if content is None else check(found.form.schema, content)
        if errors:
            raise InvalidAnswerError(_("The answer does not fit the form."), dict(errors))
        return _checked(request, found.form, dict(found.content) if content is None else content)


def _checked(request: InputRequest, form: Form, content: Json) -> CheckedAnswer:
    secrets = withheld_values(form, content, _message(request))
    return CheckedAnswer(request=request, action=Action.ACCEPT, content=content, secrets=secrets)


def _message(request: InputRequest) -> str:
    return str(request.params.get("message", ""))
