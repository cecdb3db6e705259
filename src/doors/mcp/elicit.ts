/**
 * Asks the person at the agent's client to approve (MCP elicitation), if the configuration allows
 * such decisions. The decision is recorded as made through that client.
 */
import type { Json } from '../../core/json.ts'
import type { RunReadings } from './resolve-run.ts'
import type { ToolContext } from './tool-context.ts'

/** The person behind the client, as far as the client can ask them. */
export type ElicitingClient = {
  /** What the client calls itself. */
  readonly client: string
  /** What was answered to the question of that key; null: it was not put yet. */
  readonly answerTo: (key: string) => ElicitedAnswer | null
}

export type ElicitedAnswer =
  | { readonly action: 'decline' | 'cancel' }
  | { readonly action: 'accept'; readonly content: { readonly [name: string]: unknown } }

export type ElicitQuestion = { readonly key: string; readonly message: string }

/** Characters of what waits, as the person is shown it. */
const shownCharsMax = 2_000

/**
 * What to have the person asked about a run that waits; null: nothing, they were asked already, or
 * their answer would not count. An answer that came is told to the daemon.
 */
export async function elicitDecision(
  { link }: ToolContext,
  person: ElicitingClient | null,
  { view }: RunReadings,
): Promise<ElicitQuestion | null> {
  const { approval } = view
  if (person === null || approval === null) return null
  if (!(await link.ask('status', {})).elicitation) return null
  const { id } = approval
  const { hash, message, pending } = await link.ask('approvals.read', { id })
  const answer = person.answerTo(id)
  if (answer === null) return { key: id, message: `${message}\n\n${shown(pending)}` }
  if (answer.action !== 'accept') return null
  const { decision, note } = answer.content
  if (decision !== 'approve' && decision !== 'refuse') return null
  const said = { id, hash, granted: decision === 'approve', client: nameOf(person) }
  await link.ask('approvals.elicited', { ...said, note: typeof note === 'string' ? note : '' })
  return null
}

/** WHY shortened: it is the client's own word, and becomes part of a name on record. */
function nameOf({ client }: ElicitingClient): string {
  return client.replace(/[^\w.-]+/g, '_').slice(0, 60) || 'client'
}

function shown(pending: Json): string {
  const text = JSON.stringify(pending, null, 2)
  return text.length <= shownCharsMax ? text : `${text.slice(0, shownCharsMax)}… [cut]`
}
