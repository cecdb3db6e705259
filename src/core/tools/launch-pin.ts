/**
 * How an MCP server is started or reached, as a person agrees to it: by a hash of its entry as it
 * is written, never of a secret behind it.
 */
import type { Json, JsonObject } from '../json.ts'
import { hashJson } from '../machine/hash.ts'

export type LaunchEntry = {
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly cwd?: string | undefined
  readonly env?: JsonObject | undefined
  readonly url?: string | undefined
  readonly headers?: JsonObject | undefined
}

export type LaunchPin = {
  readonly hash: string
  /** What a person is shown. */
  readonly about: string
  /** Why it is not believed at first sight. */
  readonly doubts: readonly string[]
}

const aboutCharsMax = 2_000

/** What is agreed to. */
export function pinLaunch(entry: LaunchEntry): LaunchPin {
  const { command, args, cwd, env, url, headers } = entry
  const told: Record<string, Json> = {}
  for (const [name, value] of Object.entries({ command, args, cwd, env, url, headers })) {
    if (value !== undefined) told[name] = value
  }
  const words = url === undefined ? [command ?? '', ...(args ?? [])].join(' ') : url
  const names = [...Object.keys(env ?? {}), ...Object.keys(headers ?? {})]
  const about = names.length === 0 ? words : `${words} (with ${names.join(', ')})`
  const loose = loosenessOf(entry)
  const doubts = loose === null ? [] : [loose]
  return { hash: hashJson(told), about: about.slice(0, aboutCharsMax), doubts }
}

const fetchers = /^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|bun|deno|docker|podman)$/
const fetchWords = /^(?:exec|x|dlx|run|tool|i)$/

/** A program that is fetched anew each time is not the one that was agreed to. */
function loosenessOf({ command = '', args = [] }: LaunchEntry): string | null {
  const base = command.split(/[\\/]/).at(-1) ?? ''
  const program = base.replace(/\.(?:cmd|exe)$/i, '')
  if (!fetchers.test(program)) return null
  const words = args.filter((word) => !word.startsWith('-'))
  const name = words.find((word) => !fetchWords.test(word)) ?? ''
  return isFixed(name, program) ? null : `\`${name}\` is fetched without an exact version`
}

function isFixed(name: string, program: string): boolean {
  if (program === 'docker' || program === 'podman') return /@sha256:[0-9a-f]{64}$/.test(name)
  return /(?:@|==)v?\d+\.\d+(?:\.\d+)?[\w.+-]*$/.test(name) || /^\.{0,2}\//.test(name)
}
