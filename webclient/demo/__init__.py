"""The bundled demo: a small travel desk that asks the person who books, and a little of everything else in MCP.

Written to be copied. Each tool is a plain function in a module of its own, `server` lists them, and the same code
serves clients of 2025-11-25, which are sent `elicitation/create`, and of 2026-07-28, which are answered
`input_required` and call again.
"""
