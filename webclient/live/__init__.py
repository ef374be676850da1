"""Who must be told: events from the core to open pages and API streams."""

from webclient.live.hub import Event, Gap, Hub, Kind, Subscription

__all__ = ["Event", "Gap", "Hub", "Kind", "Subscription"]
