"""Pictures from servers: redrawn in a separate process before a browser gets them, or refused.

`Pictures.draw` gives a `Drawn` picture, which was encoded here from pixels at bounded cost, or a `PictureRefusal` that
says why not. No byte of the original reaches the browser, and a hostile picture costs at most the drawing process.
"""

from webclient.content.pictures.pictures import ICON_BOX, RESULT_BOX, Drawn, PictureRefusal, Pictures

__all__ = ["ICON_BOX", "RESULT_BOX", "Drawn", "PictureRefusal", "Pictures"]
