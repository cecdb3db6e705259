/**
 * One command line of `pawl job`, with the options that its parts read.
 */
import { usage } from '../options.ts'
import type { RemoteVerbSpec } from '../remote/remote-verb.ts'

export const jobKinds = {
  background: 'flag',
  timeout: 'text',
  cwd: 'text',
  env: 'list',
  stdin: 'text',
  cpu: 'text',
  memory: 'text',
  lines: 'text',
  network: 'text',
  'network-host': 'list',
  'min-isolation': 'text',
  run: 'text',
  shell: 'text',
  state: 'text',
  follow: 'flag',
  stream: 'text',
  offset: 'text',
  limit: 'text',
  signal: 'text',
  'force-after': 'text',
} as const

export type JobCommand = RemoteVerbSpec<typeof jobKinds>

/** A number of an option; anything else is a fault, its range is for the daemon to say. */
export function numberOf(
  { values }: JobCommand,
  name: 'timeout' | 'cpu' | 'memory' | 'lines' | 'offset' | 'limit' | 'force-after',
): number | undefined {
  const text = values[name]
  if (text === null) return undefined
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  throw usage('job', `\`--${name}\` must be a number, not \`${text}\``)
}

/** The run in whose name it is asked. */
export function runOf({ values }: JobCommand): { readonly run_id?: string } {
  return values.run === null ? {} : { run_id: values.run }
}
