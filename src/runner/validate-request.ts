/**
 * Validates a request for a job. Values out of range are rejected, never adjusted: a job that is
 * cut off half-way is worse than one that never began.
 */
import { JobFault } from '../runtime/jobs/job-fault.ts'
import type { RunWish } from '../runtime/jobs/jobs-port.ts'
import {
  argsBytesMax,
  argsMax,
  commandBytesMax,
  linesMax,
  stdinBytesMax,
  timeoutSecondsMax,
  variablesBytesMax,
  variablesMax,
} from './limits.ts'

/** What a person gives to jobs on this machine. */
type Allocation = { readonly cpus: number; readonly memoryBytes: number }

/** Faults `InvalidInput`. */
export function validateRequest(wish: RunWish, allocation: Allocation): void {
  checkCommand(wish)
  checkNumbers(wish, allocation)
  checkEnvironment(wish.environment ?? {})
  if (Buffer.byteLength(wish.stdin ?? '') > stdinBytesMax) {
    throw invalid(`\`stdin\` has more than ${stdinBytesMax} bytes`)
  }
}

function checkCommand({ command, args = [] }: RunWish): void {
  if (command.trim() === '') throw invalid('`command` is empty')
  const words = [command, ...args]
  if (words.some((word) => word.includes('\0'))) throw invalid('a word contains a NUL byte')
  if (words.some((word) => Buffer.byteLength(word) > commandBytesMax)) {
    throw invalid(`a word of the command has more than ${commandBytesMax} bytes`)
  }
  if (args.length > argsMax) throw invalid(`\`args\` has more than ${argsMax} entries`)
  const bytes = args.reduce((sum, word) => sum + Buffer.byteLength(word), 0)
  if (bytes > argsBytesMax) throw invalid(`\`args\` has more than ${argsBytesMax} bytes`)
}

function checkNumbers(wish: RunWish, { cpus, memoryBytes }: Allocation): void {
  const { timeout, stdout_lines: lines, cpu_limit: cpu, memory_limit: memory } = wish
  if (timeout !== undefined && !isWhole(timeout, { min: 1, max: timeoutSecondsMax })) {
    throw invalid(`\`timeout\` must be a whole number of seconds from 1 to ${timeoutSecondsMax}`, {
      action: 'use_background',
      description: 'Run it in the background, where a job has no timeout.',
    })
  }
  if (lines !== undefined && !isWhole(lines, { min: 0, max: linesMax })) {
    throw invalid(`\`stdout_lines\` must be a whole number from 0 to ${linesMax}`)
  }
  if (cpu !== undefined && !(cpu > 0 && cpu <= cpus)) {
    throw invalid(
      `\`cpu_limit\` must be more than 0 and at most ${cpus}, the cores available to jobs`,
    )
  }
  if (memory !== undefined && !isWhole(memory, { min: memoryBytesMin, max: memoryBytes })) {
    const range = `from ${memoryBytesMin} to ${memoryBytes}, the memory available to jobs`
    throw invalid(`\`memory_limit\` must be a whole number of bytes ${range}`)
  }
}

/** Less than this no program starts with. */
const memoryBytesMin = 4 * 1024 * 1024

function isWhole(value: number, { min, max }: { min: number; max: number }): boolean {
  return Number.isSafeInteger(value) && value >= min && value <= max
}

/**
 * Names that decide what runs, or who a job is. Blocked ones of the operator come from the stage's
 * own rule, which is asked before.
 */
const protectedNames = [
  ...['PATH', 'HOME', 'SHELL', 'USER', 'LOGNAME', 'IFS', 'ENV', 'CDPATH', 'PS4', 'TMPDIR'],
  ...['BASH_ENV', 'BASHOPTS', 'SHELLOPTS', 'PROMPT_COMMAND', 'NODE_OPTIONS', 'PYTHONSTARTUP'],
  ...['PERL5OPT', 'RUBYOPT', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GIT_EXTERNAL_DIFF'],
]
const protectedBeginnings = ['LD_', 'DYLD_', 'PAWL_', 'BASH_FUNC_']

function isProtected(name: string): boolean {
  const upper = name.toUpperCase()
  return (
    protectedNames.includes(upper) ||
    protectedBeginnings.some((beginning) => upper.startsWith(beginning))
  )
}

function checkEnvironment(environment: Readonly<Record<string, string>>): void {
  const entries = Object.entries(environment)
  if (entries.length > variablesMax)
    throw invalid(`\`environment\` has more than ${variablesMax} names`)
  let bytes = 0
  for (const [name, value] of entries) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
    if (isProtected(name)) throw invalid(`the variable \`${name}\` is protected`)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw invalid(`\`${name}\` is not a valid variable name`)
    if (value.includes('\0')) throw invalid(`the value of \`${name}\` contains a NUL byte`)
  }
  if (bytes > variablesBytesMax)
    throw invalid(`\`environment\` has more than ${variablesBytesMax} bytes`)
}

function invalid(
  description: string,
  recovery?: { readonly action: string; readonly description: string },
): JobFault {
  return new JobFault(
    'InvalidInput',
    description,
    recovery === undefined ? {} : { recovery: [recovery] },
  )
}
