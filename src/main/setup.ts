/** What `pawl init` needs from this program and its data directory. */
import { extname, join } from 'node:path'
import type { SetupDoor } from '../doors/init/setup-door.ts'
import { readConfig } from '../home/config.ts'
import { type Home, homeOf, openHome } from '../home/home.ts'
import { hookSecretOf } from '../home/hook-secrets.ts'
import { readInstalls, writeInstalls } from '../home/installs.ts'
import { setConfigPort } from '../home/set-config-port.ts'
import { settingsProblems } from '../home/settings-problems.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What hooks and jobs call. */
type SetupTools = {
  readonly hookCommand: (hook: {
    readonly bin: string
    readonly host: string
    readonly workspace: string | null
    readonly failure: 'blocks' | 'passes'
  }) => string
  readonly installHookClient: (
    home: Home,
    means: { readonly node: string; readonly program: string },
  ) => Promise<unknown>
  readonly installJobHelper: (home: Home) => Promise<unknown>
}

/** The setup of the data directory that an environment names. */
export function openSetupDoor(env: Environment, cwd: string, tools: SetupTools): SetupDoor {
  const home = homeOf(env, cwd)
  const node = process.execPath
  const program = join(import.meta.dirname, `pawl${extname(import.meta.filename)}`)
  return {
    node,
    program,
    env,
    home: home.folder,
    hookCommand: (hook) => tools.hookCommand({ bin: home.bin, ...hook }),
    installPrograms: async () => {
      openHome(home)
      // WHY the helper now: compiled at the first call, it could take longer than a host waits.
      // Without it jobs and evidence are missing, and say why.
      const helper = tools.installJobHelper(home).catch(() => undefined)
      await Promise.all([tools.installHookClient(home, { node, program }), helper])
    },
    hookSecret: (workspace) => hookSecretOf(home, workspace),
    readPort: () => readConfig(home.config).port,
    keepPort: (port) => setConfigPort(home, port),
    readInstalls: () => readInstalls(home),
    writeInstalls: (installs) => writeInstalls(home, installs),
    settingsProblems: () => settingsProblems(home),
  }
}
