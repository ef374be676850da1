"""What the fork server has loaded before it forks: this program, its demo, and the servers of the tests."""

# ruff: noqa: F401
import gc

import tests.mcp_servers.asker.__main__
import tests.mcp_servers.raw
import tests.mcp_servers.statuses
import tests.model.witness
import webclient.__main__
import webclient.app
import webclient.cli
import webclient.demo.__main__
import webclient.demo.server
import webclient.serving

# Collecting in a child would touch, and so copy, every page that it shares.
gc.collect()
gc.freeze()
