/**
 * A daemon to ask, in a process of its own: `node hooks-daemon.ts` with PAWL_HOME set. Says where
 * it is in one line of JSON and ends with its input. It is the real one, with a run that takes
 * calls.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cwd, env, getuid, platform, stdin, stdout } from 'node:process'
import { openClient } from '../../src/client/index.ts'
import { findHome, openHome } from '../../src/home/home.ts'
import { hookSecretOf } from '../../src/home/hook-secrets.ts'
import { writeInstalls } from '../../src/home/installs.ts'
import { ensureTokens } from '../../src/home/tokens.ts'
import { openDaemon } from '../../src/main/open-daemon.ts'

/** Where and how a host asks. */
export type Subject = {
  readonly runId: string
  /** A run of the workflow that Pawl shows first. */
  readonly flagshipId: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The same in the folder of the flagship. */
  readonly flagshipHeaders: Readonly<Record<string, string>>
}

const home = findHome({ env, platform, userFolder: cwd, cwd: cwd(), uid: getuid?.() ?? 0 })
openHome(home)
const { person } = ensureTokens(home)
const log = (): void => undefined
const served = await openDaemon({
  ...{ home, port: 0, log, version: 'bench', left: false },
  stop: () => undefined,
})
const client = openClient({ socket: home.socket, token: person })
const source = JSON.stringify({
  id: 'bench',
  initial: 'work',
  states: {
    work: {
      allowed_tools: ['Read', 'Bash'],
      allowed_commands: ['git status'],
      on: { DONE: 'end' },
    },
    end: { type: 'final' },
  },
})
await client.call('definitions.create', { source, format: 'json' })
const { runId } = await client.call('runs.start', { definition: 'bench', workspace: '/work' })
const flagship = readFileSync(
  join(import.meta.dirname, '../../examples/workflow/tdd-bug-fix.json'),
  'utf8',
)
await client.call('definitions.create', { source: flagship, format: 'json' })
// WHY not `/work`: a session there would not know which of two runs judges it.
const flagshipFolder = '/flagship'
const { runId: flagshipId } = await client.call('runs.start', {
  ...{ definition: 'tdd-bug-fix', workspace: flagshipFolder },
})
client.close()
const installed = { hostVersion: null, wire: 'command', at: 1, files: [], folders: [] } as const
// Each folder in which hooks are installed has a secret of its own.
writeInstalls(
  home,
  ['/work', flagshipFolder].map((folder) => ({ workspace: folder, host: 'claude', ...installed })),
)
const headersIn = (workspace: string): Subject['headers'] => ({
  authorization: `Bearer ${hookSecretOf(home, workspace)}`,
  'content-type': 'application/json',
  'x-pawl-workspace': encodeURIComponent(workspace),
})
const subject: Subject = {
  runId,
  flagshipId,
  url: `${served.url}/v1/hooks/claude`,
  headers: headersIn('/work'),
  flagshipHeaders: headersIn(flagshipFolder),
}
stdout.write(`${JSON.stringify(subject)}\n`)
stdin.resume()
stdin.on('end', served.close)
