/**
 * All hosts that Pawl knows, and the lists that are derived from their descriptors. Everything here
 * is computed once, when the module is loaded.
 */
import { claudeHost } from './claude.ts'
import { clineHost } from './cline.ts'
import { codexHost } from './codex.ts'
import { copilotHost } from './copilot.ts'
import { cursorHost } from './cursor.ts'
import { geminiHost } from './gemini.ts'
import {
  type HookMeaning,
  type HostDescriptor,
  hookMeanings,
  type NotApplicable,
  type ToolVocabulary,
} from './host-descriptor.ts'
import { kimiHost } from './kimi.ts'
import { mcpVocabulary } from './mcp.ts'
import { opencodeHost } from './opencode.ts'
import { pawlVocabulary } from './pawl.ts'
import { piHost } from './pi.ts'
import { qwenHost } from './qwen.ts'

const described = {
  claude: claudeHost,
  codex: codexHost,
  gemini: geminiHost,
  qwen: qwenHost,
  opencode: opencodeHost,
  copilot: copilotHost,
  pi: piHost,
  cline: clineHost,
  kimi: kimiHost,
  cursor: cursorHost,
} satisfies Readonly<Record<string, HostDescriptor>>

const vocabularies = {
  pawl: pawlVocabulary,
  ...described,
  mcp: mcpVocabulary,
} satisfies Readonly<Record<string, ToolVocabulary>>

/** A host that runs an agent. */
export type AgentHostId = keyof typeof described
/** Whose tool names a call is spelled in: an agent host's, plain MCP names, or Pawl's own. */
export type HostId = keyof typeof vocabularies
/** A host that can be started without a person, so that `pawl doctor --prove` can try it. */
export type ProvableHostId = {
  [Id in AgentHostId]: (typeof described)[Id]['proof'] extends NotApplicable ? never : Id
}[AgentHostId]

export const agentHosts: Readonly<Record<AgentHostId, HostDescriptor>> = described
export const toolVocabularies: Readonly<Record<HostId, ToolVocabulary>> = vocabularies

// WHY the casts: the keys of a literal are its names, which the type of `keys` does not say.
export const agentHostIds = Object.keys(described) as readonly AgentHostId[]
export const hostIds = Object.keys(vocabularies) as readonly HostId[]
export const provableHostIds = agentHostIds.filter(isProvable)

/** The id for calls that come from no host. */
export const ownHostId = 'pawl' satisfies HostId

function isProvable(id: AgentHostId): id is ProvableHostId {
  return 'version' in agentHosts[id].proof
}

/** What a field lists; nothing where it does not apply. */
export function listIn<T>(field: readonly T[] | NotApplicable): readonly T[] {
  return 'none' in field ? [] : field
}

/** What all agent hosts together have in a field, each thing once. */
export function fromAgentHosts<T>(
  pick: (host: HostDescriptor) => T | readonly T[] | NotApplicable,
): readonly T[] {
  const fields = agentHostIds.map((id) => pick(agentHosts[id]))
  return [...new Set(fields.flatMap((field) => (isNone(field) ? [] : field)))]
}

function isNone(field: unknown): field is NotApplicable {
  return typeof field === 'object' && field !== null && 'none' in field
}

const meanings: ReadonlyMap<AgentHostId, ReadonlyMap<string, HookMeaning>> = new Map(
  agentHostIds.map((id) => {
    const { events } = agentHosts[id]
    const pairs = hookMeanings.flatMap((meaning) =>
      listIn(events[meaning]).map((event) => [event, meaning] as const),
    )
    return [id, new Map(pairs)]
  }),
)

/** What an event of a host means; null: the host has no such event, as far as is known. */
export function meaningOf(host: AgentHostId, event: string): HookMeaning | null {
  return meanings.get(host)?.get(event) ?? null
}

/** A list of ids for a sentence: `claude, codex or gemini`. */
export function listInProse(ids: readonly string[]): string {
  return ids.length < 2 ? ids.join() : `${ids.slice(0, -1).join(', ')} or ${ids.at(-1)}`
}

/** A pattern that matches any of some texts, as they are. */
export function alternationOf(texts: readonly string[]): string {
  return texts.map((text) => text.replace(/[.+*?^${}()|[\]\\/]/g, '\\$&')).join('|')
}
