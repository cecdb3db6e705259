/**
 * What `pawl init` needs of this program and its data directory.
 */
import { extname, join } from 'node:path'
import { addMember, removeValue } from '../core/source/edit-json.ts'
import type { SetupDoor } from '../doors/init/setup-door.ts'
import { readConfig } from '../home/config.ts'
import { type Home, homeOf, openHome } from '../home/home.ts'
import { readInstalls, writeInstalls } from '../home/installs.ts'
import { readPrivate, writePrivate } from '../home/private-file.ts'
import { settingsProblems } from '../home/settings-problems.ts'
import { PawlError } from '../runtime/pawl-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** What hooks call: made by the door for hooks. */
export type HookTools = {
  readonly hookCommand: (hook: {
    readonly bin: string
    readonly host: string
    readonly workspace: string
    readonly failure: 'blocks' | 'passes'
  }) => string
  readonly installHookClient: (
    home: Home,
    means: { readonly node: string; readonly program: string },
  ) => Promise<unknown>
}

/** The setup of the data directory that an environment names. */
export function openSetupDoor(env: Environment, cwd: string, tools: HookTools): SetupDoor {
  const home = homeOf(env, cwd)
  const node = process.execPath
  const program = join(import.meta.dirname, `pawl${extname(import.meta.filename)}`)
  return {
    node,
    program,
    env,
    home: home.folder,
    hookCommand: (hook) => tools.hookCommand({ bin: home.bin, ...hook }),
    installClient: async () => {
      openHome(home)
      await tools.installHookClient(home, { node, program })
    },
    readPort: () => readConfig(home.config).port,
    keepPort: (port) => keepPort(home, port),
    readInstalls: () => readInstalls(home),
    writeInstalls: (installs) => writeInstalls(home, installs),
    settingsProblems: () => settingsProblems(home),
  }
}

/** Sets the port in a file whose other lines stay as a person wrote them. */
function keepPort(home: Home, port: number): void {
  openHome(home)
  const text = readPrivate(home.config) ?? '{}\n'
  const without = removeValue(text, ['port']) ?? text
  const next = addMember(without, ['port'], port)
  if (next === null) {
    throw new PawlError('CONFIG_INVALID', `\`${home.config}\` can not be changed`, {
      hint: `write \`"port": ${port}\` into it yourself`,
    })
  }
  writePrivate(home.config, next)
}
