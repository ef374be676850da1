"""The languages that the pages are written in: which one a reader gets, its sentences, its dates and numbers.

Promises: every sentence exists in every language, and a browser that asks for none of them gets English. Catalogs in
`webclient/locale` are read as they are: nothing has to be compiled.
"""

from webclient.domain.languages.catalogs import DEFAULT, LANGUAGES, catalog_of, translations
from webclient.domain.languages.formats import clock, day, exact, minute, number, second
from webclient.domain.languages.negotiation import negotiate

__all__ = [
    "DEFAULT",
    "LANGUAGES",
    "catalog_of",
    "clock",
    "day",
    "exact",
    "minute",
    "negotiate",
    "number",
    "second",
    "translations",
]
