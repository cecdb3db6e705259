/**
 * A claim about every path of a machine, as people write it:
 * `no path to done without approval SHIP`.
 * Knows the sentence. Must not know any machine.
 */

export type PathClaim = {
  readonly text: string
  /** A stage, or `completed`: the run ends well, wherever. */
  readonly target: string
  readonly without: Obligation
}

/** What has to happen on every path. */
export type Obligation =
  /** A person approves the signal of this name; null: any signal. */
  | { readonly kind: 'approval'; readonly signal: string | null }
  /** A move asks for evidence: by the name of its guard, or by its command, which succeeds. */
  | { readonly kind: 'evidence'; readonly name: string }

export const claimForms = [
  'no path to STAGE without approval SIGNAL',
  'no path to STAGE without approval',
  'no path to STAGE without evidence GUARD-OR-COMMAND',
] as const

/** The claim that a sentence makes; null: it is not one. */
export function readClaim(text: string): PathClaim | null {
  const match = /^no path to (?<target>.+?) without (?<what>.+)$/i.exec(text.trim())
  const target = unquoted(match?.groups?.target ?? '')
  const what = (match?.groups?.what ?? '').trim()
  if (target === '' || what === '') return null
  const [, kind = '', rest = ''] = /^(approval|evidence)(?:\s+(.+))?$/i.exec(what) ?? []
  if (kind.toLowerCase() === 'approval') {
    return { text, target, without: { kind: 'approval', signal: unquoted(rest) || null } }
  }
  const name = kind === '' ? unquoted(what) : unquoted(rest)
  return name === '' ? null : { text, target, without: { kind: 'evidence', name } }
}

function unquoted(text: string): string {
  return text.trim().replace(/^([`'"])(.*)\1$/, '$2')
}
