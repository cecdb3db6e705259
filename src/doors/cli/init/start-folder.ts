/**
 * The folder for which a run is started: hooks look for runs from the folder in which they were
 * installed.
 */
import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import { folderInTreeOf } from '../../../runtime/sessions/repository.ts'
import type { Io } from '../io.ts'

type StartFolder = {
  readonly workspace: string
  /** What a person is to know of it; empty: it is the current folder, as one expects. */
  readonly remark: string
}

/** The nearest folder at or above the current one that has hooks, else the current one. */
export async function startFolder(io: Io): Promise<StartFolder> {
  const { cwd } = io
  if (io.setup === undefined) return { workspace: cwd, remark: '' }
  try {
    const installs = (await io.setup()).readInstalls()
    const projects = installs.filter(({ scope }) => scope === undefined)
    const here = realpathSync(cwd)
    // In another work tree of the repository, the same folder there.
    const folders = new Set(projects.map(({ workspace }) => folderInTreeOf(workspace, here)))
    for (const { workspace } of projects) folders.add(workspace)
    const workspace = upwards(here).find((folder) => folders.has(folder))
    if (workspace === undefined) return { workspace: cwd, remark: '' }
    const remark = `the run is for \`${workspace}\`, where \`pawl init\` was run`
    return { workspace, remark: workspace === here ? '' : remark }
  } catch (fault) {
    // WHY no fault of the start: a run is as good without hooks, and a person is told.
    const why = fault instanceof Error ? fault.message : String(fault)
    return { workspace: cwd, remark: `the run is for \`${cwd}\`: ${why}` }
  }
}

function upwards(folder: string): readonly string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}
