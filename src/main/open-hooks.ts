/**
 * The hooks of hosts as part of a daemon: answers them, serves their endpoint, and installs their
 * client.
 */
import { extname, join } from 'node:path'
import { agentHosts } from '../core/hosts/registry.ts'
import type { GuardAlarms } from '../daemon/guard-alarms.ts'
import { installHookClient } from '../daemon/install-hook-client.ts'
import type { LogLine } from '../daemon/log-file.ts'
import type { HookWatch } from '../daemon/watch-hooks.ts'
import type { CheckHook } from '../doors/api/hook-exchange.ts'
import { type HookAnswerer, openHookAnswerer } from '../doors/hook/answer-hook.ts'
import { openHookDoor } from '../doors/hook/open-hook-door.ts'
import type { Spending } from '../doors/hook/spending/open-spending.ts'
import type { Config } from '../home/config.ts'
import type { Home } from '../home/home.ts'
import { readInstalls } from '../home/installs.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { guardNamedIn, guardOf } from '../runtime/sessions/guarded-folders.ts'

type HookDependencies = { readonly home: Home; readonly log: LogLine; readonly config: Config }

type Spent = HookDependencies & { readonly spending: Spending; readonly alarms: GuardAlarms }

/** What answers hooks in the daemon. */
export function openDaemonHookAnswerer(
  runtime: Runtime,
  watch: HookWatch,
  around: Spent,
): HookAnswerer {
  const { config, log, spending, home, alarms } = around
  return openHookAnswerer({
    runtime,
    spending,
    settings: config.hooks,
    checkHooks: watch.problemsIn,
    guard: {
      of: (folder) => guardOf(readInstalls(home), folder),
      namedIn: (text) => guardNamedIn(readInstalls(home), text),
    },
    report: ({ workspace, host, problems }) => {
      log('warning', 'a session without hooks was stopped', {
        ...{ workspace, host, problems: [...problems] },
      })
      const { title } = agentHosts[host]
      const what = `${title} was started in ${workspace}, whose hooks are not in force, and stopped`
      void alarms.raise(`${what}; restore the hooks with \`pawl init --restore\``)
    },
    log: (what, about) => log('warning', what, about),
  })
}

/** Opens the door for hooks, and puts the client where hosts will look for it. */
export async function openHooks(
  context: HookAnswerer,
  check: CheckHook,
  { home, log }: HookDependencies,
): Promise<() => Promise<void>> {
  const onFault = (fault: unknown): void =>
    log('error', 'a hook failed', { fault: fault instanceof Error ? fault.message : String(fault) })
  const door = await openHookDoor({
    answer: context.answer,
    authenticate: ({ token, ...place }) => check(token, place),
    path: home.hookSocket,
    onFault,
  })
  const program = join(import.meta.dirname, `pawl${extname(import.meta.filename)}`)
  // WHY not awaited: a compiler takes its time, and a hook that is there already works meanwhile.
  const installed = installHookClient(home, { node: process.execPath, program }).catch(onFault)
  return async () => {
    await installed
    await door.close()
  }
}
