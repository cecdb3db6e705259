/** Pi: an extension, because it has neither command hooks nor MCP servers. */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { piHost } from '../../../core/hosts/pi.ts'
import type { HostSetup, TrustPlace } from '../desired-files.ts'
import { extensionText } from './pi-extension.ts'

const { hooksFile, userHooks } = piHost

export const piSetup: HostSetup = {
  wireOf: () => 'command',
  wants: (setting) => [
    { path: hooksFile, mode: 'plain', content: { kind: 'whole', text: extensionText(setting) } },
  ],
  remarks: () => [],
  trust: {
    grant: async (place) => (await problemsOf(place))[0] ?? 'Pi trusts this folder',
    problems: problemsOf,
  },
}

/** WHY only read: the file is kept by Pi itself, which may be running. */
async function problemsOf({ workspace, env }: TrustPlace): Promise<readonly string[]> {
  if (isTrusted(workspace, env)) return []
  return [
    'Pi does not trust this folder, so the extension will be SKIPPED: start `pi` here once and ' +
      'trust the folder, or install the extension of the user (`pawl init --user pi`)',
  ]
}

/** The nearest folder above that its user has decided about counts. */
function isTrusted(workspace: string, env: TrustPlace['env']): boolean {
  const named = env[userHooks.variable.name] ?? ''
  const home = isAbsolute(env.HOME ?? '') ? (env.HOME ?? '') : homedir()
  const folder = isAbsolute(named) ? named : join(home, userHooks.folder)
  try {
    const decisions: unknown = JSON.parse(readFileSync(join(folder, 'trust.json'), 'utf8'))
    const byFolder = new Map(Object.entries(decisions ?? {}))
    for (let at = workspace; ; at = dirname(at)) {
      const decision = byFolder.get(at)
      if (typeof decision === 'boolean') return decision
      if (dirname(at) === at) return false
    }
  } catch {
    // Not there, or not to be read: nobody has trusted anything.
    return false
  }
}
