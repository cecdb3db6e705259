/**
 * `pawl check --prove`: claims about the paths of definitions, and what was found.
 */
import { claimForms, type PathClaim, readClaim } from '../../core/machine/claim.ts'
import type { Machine } from '../../core/machine/machine.ts'
import { type Proof, proveClaim } from '../../core/machine/prove-claim.ts'
import { traceNeeds, traceText } from '../../core/machine/trace-text.ts'
import { plain } from './ansi.ts'
import { usage } from './options.ts'

/** What a proof says, for programs and for people. */
export type ClaimReport = {
  readonly file: string
  readonly definition: string
  readonly claim: string
  readonly verdict: Proof['verdict']
  readonly reason: string
  /** The path that breaks the claim, as one line; null: there is none. */
  readonly trace: string | null
  /** What has to be true on that path. */
  readonly needs: readonly string[]
  /** The moves that every path has to make one of. */
  readonly passes: readonly string[]
}

/** The claims of the command line; a sentence that is not one is a usage error. */
export function readClaims(texts: readonly string[]): readonly PathClaim[] {
  return texts.map((text) => {
    const claim = readClaim(text)
    if (claim !== null) return claim
    throw usage('check', `\`${text}\` is not a claim; write \`${claimForms.join('`, or `')}\``)
  })
}

/** Every claim, tried on a machine. */
export function proveAll(
  file: string,
  machine: Machine,
  claims: readonly PathClaim[],
): readonly ClaimReport[] {
  return claims.map((claim) => {
    const { verdict, reason, path, passes } = proveClaim(machine, claim)
    const isPath = verdict === 'disproved' || path.length > 0
    return {
      file,
      definition: machine.name,
      claim: claim.text,
      verdict,
      reason,
      trace: isPath ? traceText(machine.initial, path) : null,
      needs: traceNeeds(path),
      passes: passes.map((move) => traceText(move.from, [move])),
    }
  })
}

/** The claims on a file that has no machine, because it has errors or is no definition. */
export function unprovable(file: string, claims: readonly PathClaim[]): readonly ClaimReport[] {
  const reason = 'the file has errors, or is not a definition'
  return claims.map(({ text }) => ({
    file,
    definition: '',
    claim: text,
    verdict: 'unknown',
    reason,
    trace: null,
    needs: [],
    passes: [],
  }))
}

const verdictWords: Record<Proof['verdict'], string> = {
  proved: 'yes',
  disproved: 'no',
  unknown: 'cannot be proved',
  invalid: 'not a claim about this definition',
}

/** All reports as text, a paragraph each. */
export function claimsText(reports: readonly ClaimReport[]): string {
  return reports.map((one) => `${paragraphOf(one).join('\n')}\n`).join('\n')
}

function paragraphOf({
  file,
  claim,
  verdict,
  reason,
  trace,
  needs,
  passes,
}: ClaimReport): string[] {
  const lines = [`${file}: ${claim}`, `  ${verdictWords[verdict]}: ${reason}`]
  if (trace !== null) lines.push(`  ${trace}`)
  if (needs.length > 0) lines.push(`  if ${needs.join(', and ')}`)
  lines.push(...passes.map((pass) => `  ${pass}`))
  return lines.map((line) => plain(line))
}

/** 0: all proved; 1: one is not; 2: one names a stage that does not exist. */
export function claimsExit(reports: readonly ClaimReport[]): 0 | 1 | 2 {
  if (reports.some(({ verdict }) => verdict === 'invalid')) return 2
  return reports.every(({ verdict }) => verdict === 'proved') ? 0 : 1
}
