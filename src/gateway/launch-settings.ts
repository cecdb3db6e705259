/**
 * How a server is started or reached: its entry with every value filled in, and which values are
 * secret.
 */
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { secretName } from '../core/tools/launch-pin.ts'
import { pathFrom, type ServerEntry, type Value } from './gateway-file.ts'

export type Launch = {
  /** Values that nobody behind the gateway's client may see. */
  readonly secrets: readonly string[]
} & (
  | {
      readonly kind: 'stdio'
      readonly command: string
      readonly args: readonly string[]
      readonly cwd: string
      readonly env: Readonly<Record<string, string>>
    }
  | {
      readonly kind: 'http'
      readonly url: string
      readonly headers: Readonly<Record<string, string>>
    }
)

type Environment = Readonly<Record<string, string | undefined>>

/** What every program needs; nothing else of our own environment is handed on. */
const basics = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'],
  ...['SystemRoot', 'SystemDrive', 'APPDATA', 'LOCALAPPDATA', 'PATHEXT', 'USERPROFILE', 'TEMP'],
]
/** Shorter values stand in too many texts to be taken for the secret. */
const secretCharsMin = 6
const secretBytesMax = 64 * 1024

/** Fills an entry in. Throws what the system says about a file that cannot be read. */
export function launchOf(entry: ServerEntry, workspace: string, env: Environment): Launch {
  const secrets = new Set<string>()
  const open = (text: string): string =>
    expand(text, env, (name, value) => {
      if (!basics.includes(name)) secrets.add(value)
    })
  const fill = (name: string, value: Value): string => {
    const text = typeof value === 'string' ? open(value) : secretIn(value.fromFile, entry)
    const isSecret = typeof value !== 'string' || value.includes('${') || secretName.test(name)
    if (isSecret) for (const part of [text, text.replace(/^\w+ /, '')]) secrets.add(part)
    return text
  }
  const fillAll = (values: Readonly<Record<string, Value>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(name, value)]))
  const hidden = (): readonly string[] =>
    [...secrets].filter((one) => one.length >= secretCharsMin).sort((a, b) => b.length - a.length)
  if (entry.url !== undefined) {
    const headers = fillAll(entry.headers)
    return { kind: 'http', url: open(entry.url), headers, secrets: hidden() }
  }
  const given = fillAll(entry.env)
  return {
    kind: 'stdio',
    command: open(entry.command ?? ''),
    args: (entry.args ?? []).map(open),
    cwd: entry.cwd === undefined ? workspace : pathFrom(workspace, entry.cwd, homedir()),
    env: { ...basicsOf(env), ...given },
    secrets: hidden(),
  }
}

function basicsOf(env: Environment): Record<string, string> {
  return Object.fromEntries(
    basics.flatMap((name) => {
      const value = env[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

/** `${NAME}` and `${NAME:-otherwise}`, as hosts have it. */
function expand(
  text: string,
  env: Environment,
  onValue: (name: string, value: string) => void,
): string {
  return text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_, name: string, otherwise?: string) => {
      const value = env[name]
      if (value !== undefined) onValue(name, value)
      return value ?? otherwise ?? ''
    },
  )
}

function secretIn(path: string, { folder }: ServerEntry): string {
  const text = readFileSync(pathFrom(folder, path, homedir()), 'utf8')
  if (text.length > secretBytesMax) throw new Error(`\`${path}\` is too long to be a secret`)
  return text.trim()
}
