/** The shell command in a host's settings that runs the hook. */
import { isAbsolute, join } from 'node:path'
import { type AgentHostId, agentHosts } from '../../core/hosts/registry.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { isHostName } from './hook-wire.ts'

type HookCommandOptions = {
  /** The folder of the client: `bin` in the data directory. */
  readonly bin: string
  readonly host: string
  /** Null: the hook of a user, which tells by itself where it was started. */
  readonly workspace: string | null
  /**
   * What becomes of the host's step when the hook itself fails. `passes` is for steps by which
   * nothing is done: an agent that may not even stop would go on for ever.
   */
  readonly failure: 'blocks' | 'passes'
}

/** The name of the client in its folder. */
export const clientName = 'pawl-hook'

/** WHY words of the shell's own: hosts run the call when a hook is missing, killed or broken. */
const words = "'Pawl: the hook could not run, so this is blocked; run `pawl doctor`'"
const blocks = `{ [ $? = 2 ] || echo ${words} >&2; exit 2; }`
/** The client has said why. A refusal of such a step is an answer, and no failure. */
const passes = '{ exit 0; }'

/** One line for `sh`, which ends with 0 or, with words on stderr, with 2. */
export function hookCommand({ bin, host, workspace, failure }: HookCommandOptions): string {
  if (!isHostName(host)) throw unfit(`\`${host}\` is not a valid host name`)
  const client = join(bin, clientName)
  const otherwise = failure === 'blocks' ? blocks : passes
  const where = workspace === null ? `--user ${startOf(host)}` : quotePath(workspace)
  return `${quotePath(client)} ${host} ${where} || ${otherwise}`
}

/**
 * Where the host was started, in a word of the shell.
 * WHY not `$PWD`: some hosts put the values of variables into their settings when they start.
 */
function startOf(host: string): string {
  const { userHooks } = agentHosts[host as AgentHostId] ?? {}
  const variable = userHooks === undefined || 'none' in userHooks ? '' : userHooks.startVariable
  return typeof variable === 'string' && variable !== '' ? `"\${${variable}:-$(pwd)}"` : '"$(pwd)"'
}

function quotePath(path: string): string {
  if (!isAbsolute(path)) throw unfit(`\`${path}\` is not an absolute path`)
  // A line that a host shows, and may cut, has to stay one; a zero ends it for the system.
  if (/[\0\n\r]/.test(path)) throw unfit(`${JSON.stringify(path)} contains a line break`)
  return quoteWord(path)
}

/** A word for `sh` that means itself. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function unfit(message: string): PawlError {
  return new PawlError('CONFIG_INVALID', message, { hint: 'use another folder' })
}
