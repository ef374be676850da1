"""Sentences for reasons: one for each code, rendered when it is shown, in the language of the reader.

Nothing else makes such sentences, stores them or compares them; `docs/reasons.md` lists them.
"""

from webclient.domain.reasons.sentences import SENTENCES, codes_saying, message, parameters, sentence, words_of

__all__ = ["SENTENCES", "codes_saying", "message", "parameters", "sentence", "words_of"]
