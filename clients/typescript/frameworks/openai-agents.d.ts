import type { Agent, AgentInputItem, FunctionTool, NonStreamRunOptions, RunResult, RunState } from "@openai/agents"
import type { Inbox } from "../index.js"

/** Return the function tool as one that waits for approval, and runs only with the arguments of a decision. */
export declare function approved<TOOL extends FunctionTool<any, any, any>>(ask: Inbox, tool: TOOL): TOOL

/**
 * Run the agent with an input or a stored state, and return its last result. Other tools that wait for approval, such as
 * those of MCP servers, are asked about without an edit.
 */
export declare function run<AGENT extends Agent<any, any>, CONTEXT = undefined>(
  ask: Inbox, agent: AGENT, given: string | AgentInputItem[] | RunState<CONTEXT, AGENT>, options?: NonStreamRunOptions<CONTEXT>,
): Promise<RunResult<CONTEXT, AGENT>>
