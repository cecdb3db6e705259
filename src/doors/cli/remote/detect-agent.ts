/**
 * Whether this program was started by an agent's host, which marks what its shell tool runs.
 * A help against accidents, not a wall: whoever runs a program chooses its environment.
 */
import { fromAgentHosts } from '../../../core/hosts/registry.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Io } from '../io.ts'

const marks = fromAgentHosts((host) => host.environmentMarks)

/** The variable that tells; null: a person runs this, as far as can be seen. */
export function detectAgent({ env = {} }: Pick<Io, 'env'>): string | null {
  return marks.find((name) => (env[name] ?? '') !== '') ?? null
}

/** What an agent is told who wants to do what is for people. */
export function peopleHint(mark: string): string {
  return `\`${mark}\` is set, so an agent runs this; a person does it in a terminal of their own`
}

/** A fault where an agent runs what is for people. */
export function refuseAgent(io: Io, what: string): void {
  const mark = detectAgent(io)
  if (mark === null) return
  throw new PawlError('NOT_PERMITTED', `${what} is for people`, { hint: peopleHint(mark) })
}
