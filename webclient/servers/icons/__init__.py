"""Icons of servers and of their tools, prompts and resources: which of several is shown, and its bytes.

Promises: an icon comes from a `data:` address or from the origin of its server; it is fetched only when a page shows
it, without credentials, from a checked network address, and is remembered in bounded memory; its bytes are those of a
picture of a known type, and of the declared one, and at most `LONGEST`. What is shown is drawn again from them
(`webclient.content.pictures`), so that no byte of a server's reaches the browser.
"""

from __future__ import annotations

from webclient.servers.icons.choice import LONGEST, Icon, icon_of
from webclient.servers.icons.fetching import Icons
from webclient.servers.icons.media_types import Picture, picture_of

__all__ = ["LONGEST", "Icon", "Icons", "Picture", "icon_of", "picture_of"]
