/**
 * Where a job may work. The workspace is the only place that a job can write to, so a workspace
 * that contains the system, or Pawl itself, would be no isolation.
 */
import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { JobFault } from '../runtime/jobs/job-fault.ts'

/** Folders of the system: nobody's workspace is one of them, in one of them, or above one. */
export const systemFolders = [
  ...['/proc', '/sys', '/dev', '/run', '/etc', '/usr', '/boot', '/bin', '/sbin', '/snap'],
  ...['/lib', '/lib32', '/lib64', '/libx32', '/var/lib', '/var/run', '/var/log', '/var/spool'],
  ...['/System', '/Library', '/Applications', '/private/etc'],
]

/** The workspace and the folder in it that a job starts in, with links resolved. */
export type JobPlace = { readonly workspace: string; readonly cwd: string }

type WorkspaceRequest = {
  readonly workspace: string
  /** Seen from the workspace; absent: the workspace itself. */
  readonly folder: string | undefined
  /** Folders of Pawl itself. */
  readonly own: readonly string[]
}

/** Faults `PathOutOfScope`, `InvalidInput`. */
export function findJobPlace({ workspace: named, folder, own }: WorkspaceRequest): JobPlace {
  const workspace = realOf(named)
  if (workspace === null) throw noJobWorkspace(`the workspace \`${named}\` does not exist`)
  refuseSystem(workspace)
  refuseOwn(workspace, own)
  return { workspace, cwd: folder === undefined ? workspace : cwdIn(workspace, folder) }
}

/** WHY: a tree on `/` leaves the open system one `..` away, with all that is covered. */
function refuseSystem(workspace: string): void {
  const found = systemFolders.find(
    (one) => isPathInside(one, workspace) || isPathInside(workspace, one),
  )
  if (found === undefined) return
  const what = isPathInside(found, workspace) ? 'belongs to' : 'contains'
  throw noJobWorkspace(`the workspace \`${workspace}\` ${what} the system folder \`${found}\``)
}

/** WHY also above: what a job may rename or replace around a secret is a way to it. */
function refuseOwn(workspace: string, own: readonly string[]): void {
  for (const one of own) {
    const real = realOf(one) ?? one
    if (!isPathInside(real, workspace) && !isPathInside(workspace, real)) continue
    const what = isPathInside(real, workspace) ? 'lies in' : 'contains'
    throw noJobWorkspace(`the workspace \`${workspace}\` ${what} the data directory of Pawl`)
  }
}

function cwdIn(workspace: string, folder: string): string {
  const path = resolve(workspace, folder)
  const real = realOf(path)
  if (real !== null && isPathInside(workspace, real)) return real
  // WHY by name as well: what is not there must not tell whether it is, outside.
  if (real === null && isPathInside(workspace, path)) {
    throw new JobFault(
      'InvalidInput',
      `\`working_directory\`: the folder \`${folder}\` does not exist`,
    )
  }
  const what = `\`${folder}\` is outside the workspace \`${workspace}\``
  throw new JobFault('PathOutOfScope', what, { context: { workspace } })
}

export function noJobWorkspace(description: string): JobFault {
  return new JobFault('PathOutOfScope', description, {
    recovery: [
      {
        action: 'choose_workspace',
        description: 'Use the folder of one project, inside a home directory.',
      },
    ],
  })
}

function realOf(path: string): string | null {
  try {
    const real = realpathSync(path)
    return statSync(real).isDirectory() ? real : null
  } catch {
    // Not there, or not to be seen: either way nothing can start in it.
    return null
  }
}

/** Whether a path is a folder or lies in it; both are real paths. */
export function isPathInside(base: string, path: string): boolean {
  const near = relative(base, path)
  return near === '' || (near !== '..' && !near.startsWith(`..${sep}`) && !isAbsolute(near))
}
