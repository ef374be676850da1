"""Secret detection: does a name, a sentence or a value look like a credential?

Pure functions over text, in some fifty languages and through most disguises. They guess: a caller warns or leaves a
value out, and never refuses an answer for it. The cost of each is linear in a bounded length.
"""

from webclient.content.secrets.credentials import looks_secret, may_become_secret
from webclient.content.secrets.disguises import readings
from webclient.content.secrets.phrases import LONGEST_NAME, asks_for_credential, describes_secret, names_secret

__all__ = [
    "LONGEST_NAME",
    "asks_for_credential",
    "describes_secret",
    "looks_secret",
    "may_become_secret",
    "names_secret",
    "readings",
]
