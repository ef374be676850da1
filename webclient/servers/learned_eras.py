"""What was learned of a server while connecting, and is remembered for the next time: the eras that it speaks."""

from __future__ import annotations

from collections.abc import Collection

from webclient.model import Era, Json


def learned(before: Json, *, speaks: Collection[Era] = (), lacks: Collection[Era] = (), silent: bool = False) -> Json:
    """Return `{speaks, lacks, silent}` with what is new; the newest counts where it contradicts what was known.

    `silent`: the server leaves `server/discover` without an answer.
    """
    spoken = ({Era(era) for era in before.get("speaks", ())} | set(speaks)) - set(lacks)
    missing = ({Era(era) for era in before.get("lacks", ())} | set(lacks)) - set(speaks)
    return {"speaks": sorted(spoken), "lacks": sorted(missing), "silent": silent}


def also_speaks(known: Json, version: str | None) -> Era | None:
    """Return the era that the server speaks besides that of protocol `version`, if that is known."""
    now = Era.ROUNDS if version == Era.ROUNDS else Era.PUSH
    return next((Era(era) for era in known.get("speaks", ()) if era != now), None)
