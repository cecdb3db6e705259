/** How texts for an agent name the tools of this server. */
import type { AgentHostId } from '../../core/hosts/registry.ts'
import type { ControlTool } from '../../core/tools/pawl-tool-names.ts'
import { spellOwnTool } from '../../core/tools/spell-tools.ts'

export type ToolSpeech = {
  /** What stands in front of the names of control tools; empty: there are none. */
  readonly prefix: string
  /** The host whose agent reads them; null: not known, so names stand as they are listed. */
  readonly host: AgentHostId | null
}

/** The full name of a control tool, as the agent calls it. */
export function fullName(name: ControlTool, { prefix, host }: ToolSpeech): string {
  return spellOwnTool(`${prefix}${name}`, host)
}
