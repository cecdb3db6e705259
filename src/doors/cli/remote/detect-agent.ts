/**
 * Whether this program was started by an agent's host, which marks what its shell tool runs.
 * It prevents accidents and is not a security boundary: the caller chooses the environment.
 */
import { fromAgentHosts } from '../../../core/hosts/registry.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { Io } from '../io.ts'

const marks = fromAgentHosts((host) => host.environmentMarks)

/** The variable that tells; null: probably a person runs this. */
export function detectAgent({ env = {} }: Pick<Io, 'env'>): string | null {
  return marks.find((name) => (env[name] ?? '') !== '') ?? null
}

/** The hint for an agent that tries what only people may do. */
export function peopleHint(mark: string): string {
  return `\`${mark}\` is set, so an agent runs this; ask a person to run it in their own terminal`
}

/** A fault where an agent runs what only people may. */
export function refuseAgent(io: Io, what: string): void {
  const mark = detectAgent(io)
  if (mark === null) return
  throw new PawlError('NOT_PERMITTED', `${what} is not available to agents`, {
    hint: peopleHint(mark),
  })
}
