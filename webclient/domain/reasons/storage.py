"""Reasons why nothing can be stored or read."""

from __future__ import annotations

from collections.abc import Mapping

from webclient.domain.i18n import N_
from webclient.domain.model import ReasonCode
from webclient.domain.reasons.plural import Sentence

FAILED: Mapping[ReasonCode, Sentence] = {
    ReasonCode.FOLDER_UNWRITABLE: N_(
        "The data folder cannot be written ({error}). Free some space, or make the folder writable."
    ),
    ReasonCode.DATABASE_BROKEN: N_("The database in the data folder cannot be used ({error})."),
    ReasonCode.DATABASE_FULL: N_("The disk of the database is full. An administrator has to free some space."),
    ReasonCode.DATABASE_READ_ONLY: N_("The database can only be read at the moment. Try again later."),
    ReasonCode.DATABASE_UNREACHABLE: N_("The database cannot be reached at the moment. Try again later."),
    ReasonCode.DATABASE_REFUSED: N_(
        "The database refuses this program. An administrator has to check its address, user, password and rights."
    ),
    ReasonCode.DATABASE_UNUSABLE: N_("The database cannot be used at the moment. Try again later."),
    ReasonCode.DATABASE_IN_USE: N_("The database is in use by another mcp-webclient. Stop that one first."),
    ReasonCode.DATABASE_TAKEN_OVER: N_(
        "Another mcp-webclient has used the database since the connection to it was lost. Restart this program."
    ),
    ReasonCode.DATABASE_NOT_READY: N_(
        "The database {name} could not be prepared, and is unchanged: {error}. Let this user write to it, or choose "
        "another database."
    ),
    ReasonCode.DISK_TOO_SLOW: N_("{n:,} changes are already waiting for the disk. Try again when it is faster."),
    ReasonCode.PROGRAM_ENDING: N_("This program is ending."),
    ReasonCode.ANSWER_NOT_STORED: N_(
        "Your answer was not stored, so it was not sent. {reason} Your text is still here: send it again when this is "
        "fixed."
    ),
}
