import type { Agent, ModelMessage, ToolSet } from "ai"
import type { Inbox } from "../index.js"

/** Return the settings of an agent whose tools wait for approval, and run only with the arguments of a decision. */
export declare function approvals<TOOLS extends ToolSet>(
  ask: Inbox, tools: TOOLS,
): { tools: TOOLS; toolApproval: { [NAME in keyof TOOLS]: "user-approval" } }

/**
 * Run the agent with a text or with messages, and return its last result and all messages. Other tools that wait for
 * approval are asked about without an edit.
 */
export declare function run<AGENT extends Agent<any, any, any, any>>(
  ask: Inbox, agent: AGENT, given: string | ModelMessage[], options?: object,
): Promise<{ result: Awaited<ReturnType<AGENT["generate"]>>; messages: ModelMessage[] }>
