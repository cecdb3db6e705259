/**
 * The pin of how an MCP server is started or reached: a hash of its entry as it is written, never
 * of a secret behind it. A person accepts it.
 */
import type { Json, JsonObject } from '../json.ts'
import { hashJson } from '../machine/hash.ts'
import type { ThingPin } from './tool-pin.ts'

export type LaunchEntry = {
  readonly command?: string | undefined
  readonly args?: readonly string[] | undefined
  readonly cwd?: string | undefined
  readonly env?: JsonObject | undefined
  readonly url?: string | undefined
  readonly headers?: JsonObject | undefined
  /** `pass`: it may ask the agent's model. */
  readonly sampling?: string | undefined
  /** `pass`: it may ask the person at the agent's host. */
  readonly elicitation?: string | undefined
}

const aboutCharsMax = 2_000
/** Names of values that are secret, wherever they are written. */
export const secretName = /key|token|secret|pass|auth|credential|cookie|private|session|bearer|dsn/i

/** What is agreed to. */
export function pinLaunch(entry: LaunchEntry): ThingPin {
  const { command, args, env, url, headers } = entry
  const told = launchIn(entry)
  const words = url === undefined ? [command ?? '', ...(args ?? [])].join(' ') : url
  const names = [...Object.keys(env ?? {}), ...Object.keys(headers ?? {}), ...asksOf(told)]
  const about = names.length === 0 ? words : `${words} (with ${names.join(', ')})`
  const loose = loosenessOf(entry)
  const doubts = loose === null ? [] : [loose]
  const masked = {
    ...told,
    ...(env === undefined ? {} : { env: maskedIn(env) }),
    ...(headers === undefined ? {} : { headers: maskedIn(headers) }),
  }
  return { hash: hashJson(told), about: about.slice(0, aboutCharsMax), doubts, told: masked }
}

/** Of an entry what says how it is started and what it may ask, and nothing else. */
export function launchIn(entry: LaunchEntry): JsonObject {
  const { command, args, cwd, env, url, headers } = entry
  const told: Record<string, Json> = {}
  for (const [name, value] of Object.entries({ command, args, cwd, env, url, headers })) {
    if (value !== undefined) told[name] = value
  }
  // WHY only what is let through: an entry without it keeps the hash that was agreed to.
  for (const name of ['sampling', 'elicitation'] as const) {
    if (entry[name] === 'pass') told[name] = 'pass'
  }
  return told
}

/** What it may ask, for people. */
function asksOf({ sampling, elicitation }: JsonObject): readonly string[] {
  return [
    ...(sampling === undefined ? [] : ['requests to the model']),
    ...(elicitation === undefined ? [] : ['questions to the person']),
  ]
}

/** Where a secret comes from is shown; one that is written down is not. */
function maskedIn(values: JsonObject): JsonObject {
  const masked = Object.entries(values).map(([name, value]) => {
    const isSecret = typeof value === 'string' && !value.includes('${') && secretName.test(name)
    return [name, isSecret ? `[secret ${hashJson(value).slice(-hashCharsMax)}]` : value]
  })
  return Object.fromEntries(masked)
}
/** Enough to see that a secret is another one. */
const hashCharsMax = 8

const fetchers = /^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|bun|deno|docker|podman)$/
const fetchWords = /^(?:exec|x|dlx|run|tool|i)$/

/** A program that is fetched anew each time is not the one that was agreed to. */
function loosenessOf({ command = '', args = [] }: LaunchEntry): string | null {
  const base = command.split(/[\\/]/).at(-1) ?? ''
  const program = base.replace(/\.(?:cmd|exe)$/i, '')
  if (!fetchers.test(program)) return null
  const words = args.filter((word) => !word.startsWith('-'))
  const name = words.find((word) => !fetchWords.test(word)) ?? ''
  return isFixed(name, program) ? null : `\`${name}\` is downloaded without an exact version`
}

function isFixed(name: string, program: string): boolean {
  if (program === 'docker' || program === 'podman') return /@sha256:[0-9a-f]{64}$/.test(name)
  return /(?:@|==)v?\d+\.\d+(?:\.\d+)?[\w.+-]*$/.test(name) || /^\.{0,2}\//.test(name)
}
