"""The cards of sampling requests: a server asks for the answer of a language model, and a person reviews each stage.

`conversation` is what the server sent, `request_edits` and `changes` what the person made of it, `answer_parts` and
`answer` the answer that they write or review; these are pure functions of MCP parameters and of a posted form.
`record` is a settled request in words. `view` puts them together for a card, `card_routes` has its buttons, and
`content_routes` what the server sent as files.
"""
