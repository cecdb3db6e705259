/**
 * The command line: finds the verb, runs it, and turns faults into messages and an exit code.
 * Must not know what any verb does.
 */
import { closestName } from '../../core/closest-name.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { faultText } from './fault-text.ts'
import type { Io, VerbEntry } from './io.ts'
import { verbGroups, verbs } from './verbs.ts'
import { versionText } from './version.ts'

/** Runs one command line; gives the exit code. Any fault but a `PawlError` is a bug. */
export async function run(args: readonly string[], io: Io): Promise<number> {
  try {
    return await dispatch(args, io)
  } catch (fault) {
    if (!(fault instanceof PawlError)) throw fault
    io.err(faultText(fault))
    return 2
  }
}

async function dispatch(args: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = args
  if (first === undefined) {
    io.err(overview('public'))
    return 2
  }
  if (first === '--help' || first === '-h' || first === 'help') return help(rest, io)
  if (first === '--version' || first === '-V') {
    io.out(`${versionText()}\n`)
    return 0
  }
  const entry = findVerb(first)
  // Everything after `--` is an argument, whatever it looks like.
  const end = rest.indexOf('--')
  const words = end < 0 ? rest : rest.slice(0, end)
  if (words.includes('--help') || words.includes('-h')) return help([first], io)
  const verb = await entry.load()
  return verb.run(rest, io)
}

async function help(args: readonly string[], io: Io): Promise<number> {
  const name = args.find((one) => !one.startsWith('-'))
  if (name === undefined) {
    io.out(overview(args.includes('--all') ? 'all' : 'public'))
    return 0
  }
  const entry = findVerb(name)
  // WHY here: a host waits for `pawl hook`, which needs no help text.
  const { helpText } = await import('./help.ts')
  io.out(helpText(entry.name, entry.summary, (await entry.load()).help))
  return 0
}

function findVerb(name: string): VerbEntry {
  const entry = verbs.find((one) => one.name === name)
  if (entry !== undefined) return entry
  const what = name.startsWith('-') ? 'option' : 'command'
  const known = what === 'option' ? ['--help', '--version'] : verbs.map((one) => one.name)
  const meant = closestName(name, known)
  const hint =
    meant === null ? '`pawl --help` lists all commands' : `did you mean \`pawl ${meant}\`?`
  throw new PawlError('USAGE', `unknown ${what} \`${name}\``, { hint })
}

function overview(which: 'public' | 'all'): string {
  const width = Math.max(...verbs.map((one) => one.name.length))
  const groups = verbGroups.flatMap(({ title, verbs: all }) => [
    `${title}:`,
    ...all
      .filter(({ isInternal }) => which === 'all' || isInternal !== true)
      .map((one) => `  ${one.name.padEnd(width)}  ${one.summary}`),
    '',
  ])
  return [
    'pawl keeps AI agents inside a process that people define',
    '',
    'Usage: pawl COMMAND [OPTIONS] [ARGUMENTS]',
    '',
    ...groups,
    'Options:',
    '  --help     show this text; `pawl COMMAND --help` shows the help of one command',
    '  --all      with --help: also list the commands that only agent hosts call',
    '  --version  print the version of Pawl',
    '',
    'Exit codes: 0 done, 1 findings, a failure or a denial, 2 the command could not run',
    '',
  ].join('\n')
}
