/**
 * Policies that the command line lays over a run, each from a file of its own.
 */
import { resolve } from 'node:path'
import { readTree } from '../../../core/dialects/validate-tree.ts'
import type { Policy } from '../../../core/machine/machine.ts'
import { compilePolicy } from '../../../core/policy/compile-policy.ts'
import { policySchema } from '../../../core/policy/schema.ts'
import { openLibraries } from '../../../runtime/definitions/definition-library.ts'
import { readDefinition, type SourceFile } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { checkFile } from '../check-file.ts'
import { documentKind } from '../detect-document-kind.ts'
import { shownPath } from '../find-inputs.ts'
import { type LocatedFinding, locateFindings } from '../locate-findings.ts'

/** Policies laid over one run. */
const policiesMax = 16

export type LaidPolicy = { readonly file: SourceFile; readonly policy: Policy }

type LoadedPolicies = {
  /** In the order of the command line: the highest authority first. */
  readonly laid: readonly LaidPolicy[]
  /** Errors only; with any of them nothing is laid. */
  readonly errors: readonly LocatedFinding[]
}

/** `file`: a rule is named by its file and its place there. `case`: as a case names it. */
type Naming = 'file' | 'case'

/** Reads policies and compiles them. */
export function loadPolicies(
  names: readonly string[],
  cwd: string,
  naming: Naming,
): LoadedPolicies {
  if (names.length > policiesMax) {
    const hint = 'merge their rules into fewer files'
    throw new PawlError('USAGE', `a run can have at most ${policiesMax} policies`, { hint })
  }
  const laid: LaidPolicy[] = []
  const errors: LocatedFinding[] = []
  for (const name of names) {
    const path = resolve(cwd, name)
    const file = readDefinition(path, shownPath(path, cwd))
    const { root } = file
    if (root !== null && documentKind(root) !== 'policy') throw noPolicy(file.path)
    const { findings } = checkFile(file, openLibraries()(path))
    const found = locateFindings(file, findings).filter((one) => one.severity === 'error')
    errors.push(...found)
    const value = root === null || found.length > 0 ? null : readTree(policySchema, root).value
    const [pointer, document] = naming === 'case' ? ['/policy', 'case'] : ['', file.path]
    if (value !== null) laid.push({ file, policy: compilePolicy(value, pointer, document) })
  }
  return { laid: errors.length > 0 ? [] : laid, errors }
}

function noPolicy(path: string): PawlError {
  const hint =
    'a policy has `allow`, `ask`, `deny` or `default`; see docs/reference/guard-policies.md'
  return new PawlError('USAGE', `\`${path}\` is not a policy`, { hint })
}
