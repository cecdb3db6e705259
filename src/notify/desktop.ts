/**
 * A notification on the desktop of the user who runs the daemon.
 * WHY without the link: every program of this user can read notifications, also an agent's.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Notification } from './message.ts'

type Desktop = {
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const timeoutMs = 5_000
const textCharsMax = 300

/** Shows a notice; a fault when there is no program that can. */
export async function showDesktop(
  { title, facts }: Notification,
  { platform, env }: Desktop,
): Promise<void> {
  const { approval } = facts as { readonly approval?: { readonly id: string } }
  const text = approval === undefined ? 'Pawl' : `See: pawl approvals (${approval.id})`
  const shown = [title.slice(0, textCharsMax), text.slice(0, textCharsMax)] as const
  if (platform === 'darwin') return run('osascript', [...appleScript, ...shown], env)
  // WHY `--`: a title that begins with a dash is a title.
  return run('notify-send', ['--app-name=Pawl', '--', ...shown], busIn(env))
}

const appleScript = [
  ...['-e', 'on run argv'],
  ...['-e', 'display notification (item 2 of argv) with title (item 1 of argv)'],
  ...['-e', 'end run'],
]

/** The daemon keeps little of the environment; the way to the desktop follows from it. */
function busIn(env: Desktop['env']): Desktop['env'] {
  const bus = join(env.XDG_RUNTIME_DIR ?? '/nowhere', 'bus')
  return existsSync(bus) ? { ...env, DBUS_SESSION_BUS_ADDRESS: `unix:path=${bus}` } : env
}

function run(program: string, args: readonly string[], env: Desktop['env']): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: 'ignore', timeout: timeoutMs })
    child.on('error', () => reject(new Error(`\`${program}\` cannot be started`)))
    child.on('exit', (code) => {
      if (code === 0) resolve()
      else reject(new Error(`\`${program}\` ended with ${code ?? 'a signal'}`))
    })
  })
}
