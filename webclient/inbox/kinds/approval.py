"""An approval: whether a tool may run with these arguments, as edited, or not at all.

No server asks this. A program does, before its agent runs a tool; and this program, before it passes on the call of an
agent for which a rule says so. The form is made from the tool's schema, and filled in with the arguments.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from typing import Any

from webclient.content.alike import alike_key
from webclient.content.forms import (
    DOTS,
    JSON_CONTROL,
    Form,
    Parsed,
    Texts,
    as_posted,
    check_arguments,
    fill_all,
    has_shapes,
    parse,
    prefilled,
    read_arguments,
    read_json,
    read_program_form,
    touched,
    withheld_values,
    write_json,
)
from webclient.content.links import Link, Severity, analyse
from webclient.content.risks import risk_of
from webclient.content.visible_text import shortened
from webclient.domain.approvals import APPROVAL, Verb, digest_of, proposed
from webclient.domain.errors import InvalidAnswerError
from webclient.domain.i18n import gettext as _
from webclient.domain.i18n import language
from webclient.domain.model import Action, Alarm, InputRequest, Json, ListedRequest, Reason, ReasonCode, Risk, Server
from webclient.inbox.kinds.kind import CheckedAnswer, Kind, Symbol
from webclient.inbox.kinds.prepared import CACHED, PreparedForm
from webclient.support.schema_thread import is_long
from webclient.support.standard_json import json_equal

ARGUMENTS = "arguments"
RESPOND = "respond"
"""The keys of an answer: the arguments that may run, or the words in the place of the tool."""

LONGEST_RESPONSE = 20_000
"""Characters of an answer in the place of the tool."""

MOST_LISTED, LONGEST_LISTED = 8, 100
"""The arguments that a list has, and the characters of each, of its name and of the title."""


@dataclass(frozen=True)
class ProposedForm(PreparedForm):
    """The form of a tool, filled in with the `proposed` arguments.

    `first_texts` are the arguments as JSON if the fields cannot show all of them exactly.
    """

    proposed: Mapping[str, Any]

    @cached_property
    def content(self) -> Mapping[str, Any]:
        """The arguments as they were proposed."""
        return self.proposed

    @cached_property
    def errors(self) -> Mapping[str, str]:
        """None: the server decides whether it takes what its agent proposed, and a person may approve it as it is."""
        return {}

    @cached_property
    def first_texts(self) -> Texts | None:
        """The texts with which the card begins, if those of the form are not enough."""
        if json_equal(_first_content(self.form), dict(self.proposed)):
            return None
        return {JSON_CONTROL: [write_json(dict(self.proposed))]}


class ApprovalKind(Kind):
    """Accepted with the arguments that may run, or with words in the place of the tool."""

    name = APPROVAL
    has_form = True

    def takes(self, method: str, params: Json) -> bool:
        """Return False: no server asks it."""
        del method, params
        return False

    def allows(self, server: Server) -> bool:
        """Return True: it comes from a program or from a rule, never from a server."""
        del server
        return True

    def form(self, request: InputRequest) -> ProposedForm:
        """Return the tool's form, filled in with the proposed arguments."""
        _name, arguments = proposed(request)
        schema = (request.params.get("tool") or {}).get("inputSchema")
        read = _read_long if self.is_long(request) else _read
        return read(json.dumps([schema, arguments]), str(request.params.get("message", "")), language())

    def alarm(self, request: InputRequest, link: Link | None) -> Alarm | None:
        """Return whether an argument has an address that is not what it looks like."""
        del link
        found = {finding.severity for each in links_in(proposed(request)[1]).values() for finding in each.findings}
        return Alarm.DISGUISED if found & {Severity.WARN, Severity.BLOCK} else None

    def risk(self, params: Json) -> Risk | None:
        """Return the gravest that the call may do."""
        arguments = params.get(ARGUMENTS)
        annotations = (params.get("tool") or {}).get("annotations")
        return risk_of(annotations, arguments if isinstance(arguments, dict) else {})

    def brief(self, request: InputRequest, withheld: Sequence[str]) -> Json | None:
        """Return the `title`, the first `arguments` and how `many` there are; secrets are dots.

        `alike` is equal in calls that may be decided on together, "" in a call that is like no other.
        """
        tool, (_name, arguments) = request.params.get("tool") or {}, proposed(request)
        title = tool.get("title") or (tool.get("annotations") or {}).get("title") or tool.get("name") or ""
        shown = {
            shortened(name, LONGEST_LISTED): DOTS if name in withheld else _short(arguments[name])
            for name in list(arguments)[:MOST_LISTED]
        }
        listed = {"title": shortened(str(title), LONGEST_LISTED), "arguments": shown, "many": len(arguments)}
        return listed | {"alike": "" if withheld or self.is_long(request) else _alike(request)}

    def digest(self, params: Json) -> str:
        """Return the digest to which the decision is bound."""
        return digest_of(str((params.get("tool") or {}).get("name", "")), params.get(ARGUMENTS) or {})

    def withheld(self, request: InputRequest) -> tuple[str, ...]:
        """Return the names of the arguments that may be secrets."""
        return _secrets(request, proposed(request)[1])

    def is_long(self, request: InputRequest) -> bool:
        """Return whether the schema or the arguments are long."""
        return is_long(request.params)

    def parts(self, params: Json) -> int:
        """Return the number of arguments."""
        arguments = params.get(ARGUMENTS)
        return len(arguments) if isinstance(arguments, dict) else 0

    def asks(self, listed: ListedRequest) -> str:
        """Return "": the row has what would run."""
        del listed
        return ""

    def symbol(self, listed: ListedRequest) -> Symbol:
        """Return what a list shows the question as."""
        del listed
        return "approval"

    def read(self, request: InputRequest, posted: Sequence[tuple[str, str]]) -> Parsed:
        """Read and check the posted fields; those that were not touched have exactly the proposed value."""
        form, (_name, arguments) = self.form(request), proposed(request)
        if Verb.EDIT not in allowed(request):
            # Its fields are disabled, and browsers do not post those.
            return Parsed(content=arguments)
        written = next((text for name, text in posted if name == JSON_CONTROL), None)
        parsed = parse(form.form, posted) if written is None else _read_json(form.form, written)
        if json_equal(parsed.content, arguments):
            return replace(parsed, content=arguments, errors={}, inside={})
        if written is not None:
            return parsed
        changed = _changed(form.form, parsed.texts)
        same = {field.name for field in form.form.every} - changed
        content = {name: value for name, value in parsed.content.items() if name not in same}
        whole = {name: arguments[name] for name in arguments if name in same} | content
        if not changed:
            return replace(parsed, content=arguments, errors={}, inside={})
        errors = parsed.errors if parsed.errors or parsed.inside else check_arguments(_schema_of(request), whole)
        return replace(parsed, content=whole, errors=errors)

    def check_parsed(self, request: InputRequest, parsed: Parsed) -> CheckedAnswer:
        """Return the answer from the result of `read`. Raises InvalidAnswerError if any of it is wrong."""
        if not parsed.is_right:
            wrong = parsed.errors or {"": _("Some values inside the fields are wrong.")}
            raise InvalidAnswerError(_("The answer does not fit the form."), wrong)
        return self._approved(request, parsed.content)

    def check_accepted(self, request: InputRequest, content: Json | None) -> CheckedAnswer:
        """Check `content`: `{arguments}` that may run, `{respond: text}`, or None for the proposed arguments.

        Raises InvalidAnswerError.
        """
        given = dict(content or {})
        if unknown := given.keys() - {ARGUMENTS, RESPOND}:
            raise _invalid(_("An approval has “arguments” or “respond”, and nothing else."), min(unknown))
        if len(given) > 1:
            raise _invalid(_("An approval has “arguments” or “respond”, not both."), RESPOND)
        if RESPOND in given:
            return self._responded(request, given[RESPOND])
        arguments = given.get(ARGUMENTS, proposed(request)[1])
        if not isinstance(arguments, dict):
            raise _invalid(_("Expected an object with a value for each field."), ARGUMENTS)
        if not json_equal(arguments, proposed(request)[1]) and (
            errors := check_arguments(_schema_of(request), arguments)
        ):
            raise InvalidAnswerError(_("The arguments do not fit the tool."), errors)
        return self._approved(request, arguments)

    def _approved(self, request: InputRequest, arguments: Json) -> CheckedAnswer:
        name, before = proposed(request)
        edited = not json_equal(arguments, before)
        _demand(request, Verb.EDIT if edited else Verb.APPROVE)
        # The digest of what may run is in the answer, so it must have one.
        digest_of(name, arguments)
        return CheckedAnswer(
            request=request,
            action=Action.ACCEPT,
            content=arguments,
            secrets=_secrets(request, arguments),
            reason=Reason(ReasonCode.APPROVED_AS_EDITED) if edited else None,
        )

    def _responded(self, request: InputRequest, words: Any) -> CheckedAnswer:
        _demand(request, Verb.RESPOND)
        if not isinstance(words, str) or not words.strip() or len(words) > LONGEST_RESPONSE:
            raise _invalid(_("Write what the agent gets: {n} characters at most.").format(n=LONGEST_RESPONSE), RESPOND)
        return CheckedAnswer(
            request=request,
            action=Action.ACCEPT,
            message=words,
            reason=Reason(ReasonCode.ANSWERED_FOR_TOOL),
        )

    def check(self, request: InputRequest, action: Action, content: Json | None = None) -> CheckedAnswer:
        """Check an answer with the `content` from a program. Raises InvalidAnswerError."""
        if action is Action.DECLINE:
            _demand(request, Verb.REJECT)
        return super().check(request, action, content)

    def result(self, request: InputRequest) -> Json | None:
        """Return None: MCP has no form for it; `decision_of` has the decision."""
        del request
        return None


def allowed(request: InputRequest) -> frozenset[Verb]:
    """Return what the asker can honour of what a person decides; all, unless it says so."""
    given = request.params.get("allow")
    return frozenset(map(Verb, given)) if given else frozenset(Verb)


def links_in(arguments: Json, most: int = 20) -> dict[str, Link]:
    """Return the web addresses among the arguments by name, with their findings."""
    found = {
        name: analyse(value)
        for name, value in arguments.items()
        if isinstance(value, str) and value.casefold().startswith(("http://", "https://"))
    }
    return dict(list(found.items())[:most])


def _demand(request: InputRequest, verb: Verb) -> None:
    """Raise InvalidAnswerError if the asker cannot honour this."""
    if verb not in allowed(request):
        sentences = {
            Verb.APPROVE: _("The program that asks takes no approval of this call as it is."),
            Verb.EDIT: _("The program that asks cannot run the call with other arguments."),
            Verb.REJECT: _("The program that asks takes no rejection. Dismiss the question in its place."),
            Verb.RESPOND: _("The program that asks takes no answer in the place of the tool."),
        }
        raise _invalid(sentences[verb], RESPOND if verb is Verb.RESPOND else "")


def _invalid(message: str, place: str) -> InvalidAnswerError:
    return InvalidAnswerError(message, {place: message})


def _schema_of(request: InputRequest) -> Any:
    schema = (request.params.get("tool") or {}).get("inputSchema")
    return schema if isinstance(schema, dict) else {}


def _alike(request: InputRequest) -> str:
    """Return the text by which calls are alike: all that a card shows but the arguments is the same."""
    if request.reason is not None:
        # It asks again, because the tool or the rule has changed; its card says so.
        return ""
    params = {name: each for name, each in request.params.items() if name != ARGUMENTS}
    same = [request.server_id, asdict(request.asked_by), params]
    arguments = proposed(request)[1]
    risk = risk_of((params.get("tool") or {}).get("annotations"), arguments)
    return alike_key(same, _schema_of(request), arguments, risk)


def _short(value: Any) -> Any:
    if isinstance(value, str):
        return shortened(value, LONGEST_LISTED)
    written = json.dumps(value, ensure_ascii=False)
    return value if len(written) <= LONGEST_LISTED else shortened(written, LONGEST_LISTED)


def _secrets(request: InputRequest, arguments: Json) -> tuple[str, ...]:
    """Return the names of the arguments that may be secrets, as those of a call."""
    # By the tool's own schema: a value that is filled in already asks for nothing.
    return withheld_values(read_program_form(_schema_of(request)), arguments)


def _read_json(form: Form, text: str) -> Parsed:
    texts = {JSON_CONTROL: [text]}
    try:
        arguments = read_json(text)
    except ValueError as wrong:
        return Parsed(errors={"": str(wrong)}, texts=texts)
    errors = check_arguments(form.schema, arguments)
    return Parsed(content=arguments if isinstance(arguments, dict) else {}, errors=errors, texts=texts)


def _first_content(form: Form) -> Json:
    return parse(form, as_posted(form, {})).content if has_shapes(form.schema) else prefilled(form)


def _changed(form: Form, texts: Texts) -> set[str]:
    """Return the names of the arguments that were changed; those of a choice go together."""
    changed = {field.name for field in touched(form, texts)}
    chosen = {field.name for field in form.every} - {field.name for field in form.fields}
    return changed | chosen | {""} if changed & chosen or "" in changed else changed


@lru_cache(maxsize=CACHED)
def _read(tool_and_arguments: str, message: str, _language: str) -> ProposedForm:
    schema, arguments = json.loads(tool_and_arguments)
    form = _with_shape(schema, arguments) if has_shapes(schema) else read_arguments(_filled_in(schema, arguments))
    return ProposedForm(replace(form, title="", unanswerable=None), message, arguments)


_read_long = lru_cache(maxsize=2)(_read.__wrapped__)


def _with_shape(schema: Json, arguments: Json) -> Form:
    """Return the form of a tool that takes one of several objects, with the arguments in the one that they fit."""
    form = read_arguments(schema)
    texts = None if form.as_json else fill_all(form.fields, arguments)
    return form if texts is None else replace(form, texts=texts)


def _filled_in(schema: Any, arguments: Json) -> Json:
    """Return the schema with the arguments as its defaults, and no other defaults: what is left out stays out."""
    known = dict(schema) if isinstance(schema, dict) else {}
    properties = _object(known.get("properties"))
    own = {name: _without_default(each) for name, each in properties.items()}
    given = {name: {**_object(own.get(name)), "default": value} for name, value in arguments.items()}
    return {**known, "type": "object", "properties": {**own, **given}}


def _without_default(schema: Any) -> Any:
    return {key: each for key, each in schema.items() if key != "default"} if isinstance(schema, dict) else schema


def _object(schema: Any) -> Json:
    return schema if isinstance(schema, dict) else {}
