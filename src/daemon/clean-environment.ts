/**
 * Keeps secrets out of the daemon's environment, which every process of the same user can read.
 * WHY a restart: the environment that a process was started with stays readable, whatever it
 * deletes later.
 */

const kept = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TZ',
  'TMPDIR',
  'PAWL_HOME',
  'PAWL_DEBUG',
  // The system of macOS puts it into every process.
  '__CF_USER_TEXT_ENCODING',
])
const keptBeginnings = ['LC_', 'XDG_']

/** Says that this is the second start, so that there is never a third. */
const mark = 'PAWL_STARTED_CLEAN'

type Environment = Readonly<Record<string, string | undefined>>

/** The part of an environment that a daemon may have. */
export function cleanEnvironment(env: Environment): Record<string, string> {
  const clean: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && isKept(name)) clean[name] = value
  }
  return clean
}

/** Starts this program anew, as the same process, unless its environment is clean already. */
export function requireCleanEnvironment(): void {
  const names = Object.keys(process.env).filter((name) => !isKept(name))
  if (names.length === 0) return
  const isSecondStart = process.env[mark] === '1'
  // On Windows there is no such start, and there a deletion reaches the real environment.
  if (isSecondStart || process.platform === 'win32') {
    for (const name of names) delete process.env[name]
    return
  }
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, args, { ...cleanEnvironment(process.env), [mark]: '1' })
}

function isKept(name: string): boolean {
  return kept.has(name) || keptBeginnings.some((beginning) => name.startsWith(beginning))
}
