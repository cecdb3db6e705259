/**
 * Copilot CLI: hooks in a file of their own, and an MCP server. It runs the hooks of folders that
 * its user trusts, and reads them from the root of the repository.
 */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { copilotHost } from '../../../core/hosts/copilot.ts'
import type { HostSetup, TrustPlace } from '../desired-files.ts'
import { commandFor, hookSeconds, hooksFor, serverEntry } from './shared-entries.ts'

const { hooksFile, serversFile, serversKey, userHooks } = copilotHost

export const copilotSetup: HostSetup = {
  wireOf: () => 'command',
  wants: (setting) => [
    {
      path: hooksFile,
      mode: 'plain',
      content: {
        kind: 'json',
        entries: [
          { kind: 'need', path: ['version'], value: 1 },
          ...hooksFor('copilot', (event) => ({
            type: 'command',
            command: commandFor(event, setting),
            timeoutSec: hookSeconds,
          })),
        ],
      },
    },
    {
      path: serversFile,
      mode: 'plain',
      content: {
        kind: 'json',
        entries: [serverEntry({ host: 'copilot', serversKey }, setting, { tools: ['*'] })],
      },
    },
  ],
  remarks: (setting) => {
    if (setting.userFile !== null || !setting.isThere('.mcp.json')) return []
    const what = 'Copilot CLI ignores `.github/mcp.json` while there is a `.mcp.json`'
    return [`${what}: \`pawl init claude\` adds a server there that it uses`]
  },
  trust: {
    grant: async (place) => (await problemsOf(place))[0] ?? 'Copilot CLI trusts this folder',
    problems: problemsOf,
  },
}

/** WHY only read: the file is kept by Copilot CLI itself, which may be running. */
async function problemsOf({ workspace, env }: TrustPlace): Promise<readonly string[]> {
  if (isTrusted(workspace, env)) return []
  return [
    'Copilot CLI does not trust this folder, so its hooks will be SKIPPED: start `copilot` here ' +
      'once and trust the folder, or install the hooks of the user (`pawl init --user copilot`)',
  ]
}

function isTrusted(workspace: string, env: TrustPlace['env']): boolean {
  const named = env[userHooks.variable.name] ?? ''
  const home = isAbsolute(env.HOME ?? '') ? (env.HOME ?? '') : homedir()
  const folder = isAbsolute(named) ? named : join(home, userHooks.folder)
  try {
    // It begins with remarks.
    const text = readFileSync(join(folder, 'config.json'), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '')
    const folders: unknown = JSON.parse(text).trustedFolders
    return Array.isArray(folders) && folders.some((one) => isBelow(workspace, one))
  } catch {
    // Not there, or not to be read: nobody has trusted anything.
    return false
  }
}

function isBelow(workspace: string, folder: unknown): boolean {
  if (typeof folder !== 'string') return false
  return `${workspace}/`.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}
