"""Signed assertions: a proxy in front says with each request who is signed in, and signs it for us.

Promises: an assertion is accepted only if the proxy of the settings signed it, for the audience of the settings, with
the one algorithm of its kind, and it has not expired; each refusal is one sentence with a code, and quotes nothing.
"""

from __future__ import annotations

from webclient.auth.assertions.kinds import HEADERS
from webclient.auth.assertions.refusals import AssertionCode, AssertionRefusedError
from webclient.auth.assertions.verification import LEEWAY, Assertion, Assertions, assertion_issuer

__all__ = ["HEADERS", "LEEWAY", "Assertion", "AssertionCode", "AssertionRefusedError", "Assertions", "assertion_issuer"]
