"""Everything that touches the MCP SDK: connections to servers, what they offer, and the calls made of them."""

from webclient.connections.calls import Calls
from webclient.connections.catalog import Catalog
from webclient.connections.connections import Connections
from webclient.connections.delivery import Deliveries
from webclient.connections.learned import also_speaks
from webclient.connections.open_calls import OpenCalls
from webclient.connections.questions import Questions
from webclient.connections.servers import Servers

__all__ = ["Calls", "Catalog", "Connections", "Deliveries", "OpenCalls", "Questions", "Servers", "also_speaks"]
