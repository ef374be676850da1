import type { Agent } from "@mastra/core/agent"
import type { Inbox } from "../index.js"

/** Return the tool as one that waits for approval, and runs only with the arguments of a decision. */
export declare function approved<TOOL extends { id: string }>(ask: Inbox, tool: TOOL): TOOL

/** Run the agent until nothing waits for approval, and return its last result. */
export declare function run<AGENT extends Agent<any, any, any, any>>(
  ask: Inbox, agent: AGENT, given: Parameters<AGENT["generate"]>[0], options?: object,
): Promise<Awaited<ReturnType<AGENT["generate"]>>>

/**
 * Go on with a suspended run, which has `runId` and `suspendPayload`, and return its last result: one that a tool has
 * suspended itself is left to the caller. Other tools that wait for approval are asked about without an edit.
 */
export declare function resume<AGENT extends Agent<any, any, any, any>>(
  ask: Inbox, agent: AGENT, suspended: { runId?: string | undefined; suspendPayload?: unknown }, options?: object,
): Promise<Awaited<ReturnType<AGENT["generate"]>>>
