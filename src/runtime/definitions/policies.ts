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
import { errorCodeOf } from '../error-code.ts'
import { PawlError } from '../pawl-error.ts'
import { foldersOfRecord } from '../sessions/repository.ts'
import { readDefinition, readWorkspaceDefinition, type SourceFile } from './read-definition.ts'
import { openWatchedFiles } from './watched-files.ts'

export type Policies = (workspace: string | null) => readonly Policy[]

const fileNames = ['policy.json', 'policy.yaml', 'policy.yml']

/** `home`: the folder of the organisation's policy; null: there is none. */
export function openPolicies(home: string | null, now: () => number): Policies {
  const ofHome = openWatchedFiles({
    ...{ names: fileNames, now },
    read: (folder) => readPolicies(folder, readDefinition).map(observingBelow),
  })
  const ofWorkspace = openWatchedFiles({
    ...{ names: fileNames, now },
    read: (folder) => {
      const workspace = dirname(folder)
      return readPolicies(folder, (path) => readWorkspaceDefinition(path, workspace))
    },
  })
  const foldersOf = openFolders(now)
  return (workspace) => [
    ...(home === null ? [] : ofHome(home)),
    ...(workspace === null ? [] : foldersOf(workspace).flatMap((one) => ofWorkspace(one))),
  ]
}

/** WHY here: a folder that no system can have is a fault of whoever named it, not of Pawl. */
function refuseImpossible(workspace: string): void {
  try {
    statSync(join(workspace, '.pawl', fileNames.join()), { throwIfNoEntry: false })
  } catch (cause) {
    const code = errorCodeOf(cause)
    if (code !== 'ENAMETOOLONG' && code !== 'ERR_INVALID_ARG_VALUE') return
    const hint = 'send the absolute path of a folder'
    throw new PawlError('REQUEST_INVALID', 'the workspace cannot be a path', { hint, cause })
  }
}

/** How long it is believed where the main work tree of a folder is, and of how many folders. */
const foldersMs = 500
const foldersMax = 1_000

/**
 * The folders whose policies count for a workspace: the same one in the main work tree, its own;
 * in a bare repository, the same one in every work tree.
 * WHY the main work tree: another one may be of a commit before the policy, or the policy may not
 * be under version control.
 */
function openFolders(now: () => number): (workspace: string) => readonly string[] {
  const known = new Map<string, { readonly at: number; readonly folders: readonly string[] }>()
  return (workspace) => {
    const before = known.get(workspace)
    if (before !== undefined && now() - before.at < foldersMs) return before.folders
    refuseImpossible(workspace)
    const folders = foldersOfRecord(workspace).map((folder) => join(folder, '.pawl'))
    if (known.size >= foldersMax) known.clear()
    known.set(workspace, { at: now(), folders })
    return folders
  }
}

/** WHY only the organisation's: a policy that comes with a clone loosens nothing but itself. */
function observingBelow(policy: Policy): Policy {
  return policy.observe === undefined ? policy : { ...policy, observe: 'below' }
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
