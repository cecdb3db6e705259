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
      const hasFolder = existsSync(join(workspace, agentHosts[name].folder))
      return { ...(await findHost(name, env)), hasFolder }
    }),
  )
}

/** One host, found or not. */
export async function findHost(
  name: AgentHostId,
  env: Environment,
): Promise<Omit<FoundHost, 'hasFolder'>> {
  const program = fileOf(agentHosts[name].program, env)
  const version = program === null ? null : await hostVersion(program, env)
  return { name, program, version }
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
