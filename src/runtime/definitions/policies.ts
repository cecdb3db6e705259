/**
 * Policies over runs: the organisation's in Pawl's data directory, then the workspace's. Read
 * again when their file changes, for the next call of every run. A policy that cannot be read is a
 * fault, and a fault while deciding is a denial.
 */
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readTree } from '../../core/dialects/validate-tree.ts'
import { hasErrors } from '../../core/finding.ts'
import type { Policy } from '../../core/machine/machine.ts'
import { compilePolicy } from '../../core/policy/compile-policy.ts'
import { policySchema } from '../../core/policy/schema.ts'
import { PawlError } from '../pawl-error.ts'
import { readDefinition, readWorkspaceDefinition, type SourceFile } from './read-definition.ts'
import { openWatchedFiles } from './watched-files.ts'

export type Policies = (workspace: string | null) => readonly Policy[]

const fileNames = ['policy.json', 'policy.yaml', 'policy.yml']

/** `home`: the folder of the organisation's policy; null: there is none. */
export function openPolicies(home: string | null, now: () => number): Policies {
  const ofHome = openWatchedFiles({
    ...{ names: fileNames, now },
    read: (folder) => readPolicies(folder, readDefinition),
  })
  const ofWorkspace = openWatchedFiles({
    ...{ names: fileNames, now },
    read: (folder) => {
      const workspace = dirname(folder)
      return readPolicies(folder, (path) => readWorkspaceDefinition(path, workspace))
    },
  })
  return (workspace) => [
    ...(home === null ? [] : ofHome(home)),
    ...(workspace === null ? [] : ofWorkspace(join(workspace, '.pawl'))),
  ]
}

function readPolicies(folder: string, read: (path: string) => SourceFile): readonly Policy[] {
  return fileNames.flatMap((name) => {
    const path = join(folder, name)
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return []
    const { root, findings } = read(path)
    const shape = root === null ? null : readTree(policySchema, root)
    const all = [...findings, ...(shape?.findings ?? [])]
    if (shape?.value == null || hasErrors(all)) {
      // WHY not which: agents read this, and the error quotes the file.
      const hint = `\`pawl check ${path}\` shows them; until they are fixed every call is denied`
      throw new PawlError('CONFIG_INVALID', `the policy \`${path}\` has errors`, { hint })
    }
    return [compilePolicy(shape.value, '', path)]
  })
}
