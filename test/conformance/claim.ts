/**
 * Conformance: one test for each testable claim of the source documents, quoting the row or
 * sentence it is about. `npm run conformance` writes the table of them into the docs.
 * A deliberate difference is a claim too: its test shows what Pawl does instead, and `differs`
 * names its row in docs/reference/differences.md (`<a id="…"></a>` at the start of its first cell).
 */
import { test } from 'vitest'

export type SourceDocument =
  | 'process definitions'
  | 'workflow schema'
  | 'step workflows'
  | 'process capabilities'

export type Claim = {
  /** The heading in the document. */
  readonly section: string
  /** The row or sentence, shortened where it is long. */
  readonly quote: string
  /** What the test does and expects, as a sentence. */
  readonly check: string
  /** The anchor in docs/reference/differences.md, where Pawl deliberately does something else. */
  readonly differs?: string
}

/** Separates the parts of a test's name, which the table is made of. */
const claimSeparator = ' › '

/** A function that tests claims of one document. */
export function claimsOf(document: SourceDocument) {
  return (claim: Claim, run: () => Promise<void> | void): void => {
    const { section, quote, check, differs } = claim
    const parts = [document, section, `“${quote}”`, check]
    if (differs !== undefined) parts.push(`differs: ${differs}`)
    const isBroken = parts.some((part) => part.includes(claimSeparator) || part.trim() === '')
    if (isBroken) throw new Error(`a part of a claim is empty or has “${claimSeparator}”: ${quote}`)
    test(parts.join(claimSeparator), run)
  }
}
