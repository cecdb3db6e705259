/**
 * Policies that are laid over runs: the organisation's beside Pawl's data, then the workspace's.
 * Read again when their file changes, for the next call of every run. A policy that cannot be read
 * is a fault, and a fault while deciding is a denial.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { readShape } from '../core/dialects/shape.ts'
import { hasErrors } from '../core/finding.ts'
import type { Policy } from '../core/machine/machine.ts'
import { compilePolicy } from '../core/policy/compile-policy.ts'
import { policySchema } from '../core/policy/schema.ts'
import { PawlError } from './pawl-error.ts'
import { readDefinition } from './read-definition.ts'

export type Policies = (workspace: string | null) => readonly Policy[]

const fileNames = ['policy.json', 'policy.yaml', 'policy.yml']
/** How long a look at the files is believed; a pass of a gateway may go by it as long again. */
const freshMs = 500
/** Folders whose policies are kept at hand. */
const foldersMax = 1_000

type Look = { at: number; stamp: string; policies: readonly Policy[] }

/** `home`: the folder of the organisation's policy; null: there is none. */
export function openPolicies(home: string | null, now: () => number): Policies {
  const looks = new Map<string, Look>()
  const inFolder = (folder: string): readonly Policy[] => {
    const known = looks.get(folder)
    if (known !== undefined && now() - known.at < freshMs) return known.policies
    const stamp = stampOf(folder)
    const policies = known?.stamp === stamp ? known.policies : readPolicies(folder)
    if (looks.size >= foldersMax) looks.clear()
    looks.set(folder, { at: now(), stamp, policies })
    return policies
  }
  return (workspace) => [
    ...(home === null ? [] : inFolder(home)),
    ...(workspace === null ? [] : inFolder(join(workspace, '.pawl'))),
  ]
}

/** Changes whenever a file of the folder does. */
function stampOf(folder: string): string {
  return fileNames
    .map((name) => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false })
      return stats === undefined ? '' : `${stats.ino}.${stats.size}.${stats.mtimeMs}`
    })
    .join('|')
}

function readPolicies(folder: string): readonly Policy[] {
  return fileNames.flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return []
    const { root, findings } = readDefinition(path)
    const shape = root === null ? null : readShape(policySchema, root)
    const all = [...findings, ...(shape?.findings ?? [])]
    if (shape?.value == null || hasErrors(all)) {
      const what = all.find((one) => one.severity === 'error')?.message ?? 'it cannot be read'
      const hint = `put it right (\`pawl check ${path}\`); until then every call is denied`
      throw new PawlError('CONFIG_INVALID', `the policy \`${path}\` has errors: ${what}`, { hint })
    }
    return [compilePolicy(shape.value, `${path}#`)]
  })
}
