"""Demo office: an MCP server that needs what must not pass through an MCP client, done right. Written to be copied.

`set_api_key` has the person type a key on a page of the server's own. `connect_drive` has them allow the server to see
their files at a third-party service (OAuth), and `list_drive_files` cannot work before that.

Read `people` (who is it?), `elicitations` (who was asked for what?), `asking` (both eras of MCP), `tools`, then
`pages` (the checks when a link is opened), `oauth` and `vault`. docs/url-mode.md says why each check is there.
"""
