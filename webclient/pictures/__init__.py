"""Pictures of servers: never given to a browser as they came, but drawn anew in a process of their own, or refused."""

from webclient.pictures.pictures import ICON_BOX, RESULT_BOX, Drawn, Pictures, Refusal

__all__ = ["ICON_BOX", "RESULT_BOX", "Drawn", "Pictures", "Refusal"]
