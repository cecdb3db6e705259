/**
 * Finds the hosts on this machine or in a workspace, and their versions.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { type AgentHostId, agentHostIds, agentHosts } from '../../core/hosts/registry.ts'
import { hostVersion } from './host-version.ts'

export type FoundHost = {
  readonly name: AgentHostId
  /** The file of its program; null: it is not on the path. */
  readonly program: string | null
  /** Null: there is no program, or it did not tell. */
  readonly version: string | null
  /** Whether the workspace has a folder of it. */
  readonly hasFolder: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** All known hosts, found or not. */
export function findHosts(workspace: string, env: Environment): Promise<readonly FoundHost[]> {
  return Promise.all(
    agentHostIds.map(async (name) => {
      const { program, folder } = agentHosts[name]
      const file = fileOf(program, env)
      const version = file === null ? null : await hostVersion(file, env)
      return { name, program: file, version, hasFolder: existsSync(join(workspace, folder)) }
    }),
  )
}

function fileOf(program: string, env: Environment): string | null {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  return folders.map((folder) => join(folder, program)).find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Not there, or not to be run: the next folder may have it.
    return false
  }
}
