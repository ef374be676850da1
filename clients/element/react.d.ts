import type { DetailedHTMLProps, HTMLAttributes } from "react"
import type { McpInbox, McpInboxAttributes, McpInboxEventMap } from "./mcp-inbox.js"

export * from "./mcp-inbox.js"

/** What JSX takes for `<mcp-inbox>` in React 19: attributes, the property `getToken`, and events, as in `onpending`. */
export type McpInboxProps = DetailedHTMLProps<HTMLAttributes<McpInbox>, McpInbox> &
  McpInboxAttributes &
  Partial<Pick<McpInbox, "getToken">> & {
    [Type in keyof McpInboxEventMap as `on${Type}`]?: (event: McpInboxEventMap[Type]) => void
  }

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "mcp-inbox": McpInboxProps
    }
  }
}
