"""Reasons why a language model was chosen, and why it gave no answer."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import ReasonCode
from webclient.domain.reasons.plural import Sentence

CHOSEN: Mapping[ReasonCode, Sentence] = {
    ReasonCode.MODEL_ONLY: N_("This is the only model."),
    ReasonCode.MODEL_FIRST: N_("The server has no preference, so this is the first model of the list."),
    ReasonCode.MODEL_FIRST_NOT_HINTS: N_(
        "The server suggests “{hints}”, which no model matches, so this is the first model of the list."
    ),
    ReasonCode.MODEL_BY_HINT: N_("The server suggests “{hint}”, which this model matches."),
    ReasonCode.MODEL_BY_HINT_AND_PRIORITIES: N_(
        "The server suggests “{hint}”, which several models match; this one fits its priorities best."
    ),
    ReasonCode.MODEL_BY_PRIORITIES: N_(
        "This model fits the priorities of the server best (intelligence {intelligence}%, speed {speed}%, low cost "
        "{cost}%)."
    ),
    ReasonCode.MODEL_BY_PRIORITIES_NOT_HINTS: N_(
        "The server suggests “{hints}”, which no model matches. This model fits its priorities best (intelligence "
        "{intelligence}%, speed {speed}%, low cost {cost}%)."
    ),
}

SETUP: Mapping[ReasonCode, Sentence] = {
    ReasonCode.MODEL_NOT_CONFIGURED: N_("The model “{model}” is not, or no longer, configured. Choose another one."),
    ReasonCode.MODEL_EXTRA_MISSING: N_(
        "The model {model} needs a package that is not installed. Install mcp-webclient[models], then restart this "
        "program."
    ),
    ReasonCode.MODEL_KEY_MISSING: N_(
        "The model {model} needs a key, and the environment variable {variable} is not set. Set it, then restart this "
        "program."
    ),
    ReasonCode.MODEL_KEY_WANTED: N_(
        "{host} wants a key for {model} (HTTP {status}). Name its environment variable in the models file."
    ),
    ReasonCode.MODEL_KEY_REJECTED: N_("{host} rejected the key for {model} (HTTP {status}). Correct the key."),
    ReasonCode.MODEL_UNKNOWN: N_(
        "{host} does not know the model “{name}” (HTTP 404). Correct its name or its address in the models file."
    ),
    ReasonCode.MODEL_REDIRECTED: N_(
        "{host} redirects requests to another address (HTTP {status}), which are not followed, because they carry a "
        "key. Correct the address in the models file."
    ),
    ReasonCode.MODEL_CONTENT_UNSUPPORTED: N_(
        "The model {model} cannot be sent content of the type “{kind}”. Remove it from the request, or choose another "
        "model."
    ),
}

PROVIDER: Mapping[ReasonCode, Sentence] = {
    ReasonCode.MODEL_UNREACHABLE: N_("{host} cannot be reached. Check that the model runs, then try again."),
    ReasonCode.MODEL_TIMEOUT: N_("{host} sent nothing for {duration}, so the request was ended. Try again."),
    ReasonCode.MODEL_BUSY: N_("{host} has too many requests at present (HTTP {status}). Try again later."),
    ReasonCode.MODEL_QUOTA_USED: N_("The credit or quota at {host} is used up (HTTP {status}). Raise it there."),
    ReasonCode.MODEL_REQUEST_REFUSED: N_("{host} refused the request (HTTP {status}): {words}"),
    ReasonCode.MODEL_PROVIDER_FAILED: N_("{host} fails at present (HTTP {status}). Try again later."),
}

ANSWER: Mapping[ReasonCode, Sentence] = {
    ReasonCode.MODEL_ANSWER_UNUSABLE: N_(
        "{host} sent an answer that is not one of the OpenAI API. Check the address in the models file."
    ),
    ReasonCode.MODEL_ANSWER_FAILED: N_("{host} ended its answer with an error: {words}"),
    ReasonCode.MODEL_ANSWER_CUT: N_("The answer from {host} ended before it was complete. Try again."),
    ReasonCode.MODEL_ANSWER_EMPTY: N_("The model {model} gave an empty answer. Try again, or choose another model."),
    ReasonCode.MODEL_ANSWER_TOO_LARGE: N_(
        "The answer of the model {model} is larger than {kilobytes} kB, so the request was ended."
    ),
    ReasonCode.MODEL_ANSWER_FILTERED: N_("{host} withheld the answer because of its content filter."),
    ReasonCode.MODEL_LIMIT_TOO_LOW: N_(
        "The model {model} reached the most tokens allowed before it said anything. Allow more tokens, or choose "
        "another model."
    ),
    ReasonCode.MODEL_TOOL_NOT_ALLOWED: N_(
        "The model {model} used the tool “{tool}”, although the request allows none. Try again, or choose another "
        "model."
    ),
    ReasonCode.MODEL_ARGUMENTS_CUT: N_(
        "The model {model} reached the most tokens allowed within the arguments of the tool “{tool}”. Allow more "
        "tokens."
    ),
    ReasonCode.MODEL_ARGUMENTS_INVALID: N_(
        "The model {model} used the tool “{tool}” with arguments that are not a JSON object. Try again."
    ),
    ReasonCode.MODEL_HAS_NO_REPLY: N_("The script of the model {model} has no answer to this conversation."),
}

FAILED: Mapping[ReasonCode, Sentence] = {**SETUP, **PROVIDER, **ANSWER}
