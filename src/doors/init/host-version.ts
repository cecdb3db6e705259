/**
 * The version of a host's program: that of the package which npm brought it with, else what
 * `<host> --version` says.
 */
import { execFile } from 'node:child_process'
import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fromAgentHosts } from '../../core/hosts/registry.ts'

type Environment = Readonly<Record<string, string | undefined>>

const versionMsMax = 20_000
const hostPackages = fromAgentHosts((host) => host.packages)

/** Null: it did not say. */
export async function hostVersion(program: string, env: Environment): Promise<string | null> {
  // WHY: a host takes seconds to say its version, and a loaded machine makes that a minute.
  return packageVersion(realpathOr(program)) ?? (await toldVersion(program, env))
}

function packageVersion(file: string): string | null {
  const folder = dirname(file)
  if (folder === file) return null
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    if (hostPackages.includes(name)) return version
  } catch {
    // No package here; perhaps one above.
  }
  return packageVersion(folder)
}

function realpathOr(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Not there: whoever starts it will be told.
    return path
  }
}

function toldVersion(program: string, env: Environment): Promise<string | null> {
  const options = { env: { ...env }, timeout: versionMsMax, windowsHide: true }
  return new Promise((resolve) => {
    const child = execFile(
      program,
      ['--version'],
      { ...options, killSignal: 'SIGKILL' },
      (_, stdout) => resolve(/\d+\.\d+\.\d+[\w.-]*/.exec(stdout)?.[0] ?? null),
    )
    child.stdin?.end()
  })
}
