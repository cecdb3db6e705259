/**
 * The command line: finds the verb, runs it, and turns faults into words and an exit code.
 * Must not know what any verb does.
 */
import { closestName } from '../../core/closest-name.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { faultText } from './fault-text.ts'
import type { Io } from './io.ts'
import { type VerbEntry, verbs } from './verbs.ts'
import { versionText } from './version.ts'

/** Runs one command line; gives the exit code. What is not a fault is a bug and is thrown on. */
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
    io.err(overview())
    return 2
  }
  if (first === '--help' || first === '-h' || first === 'help') return help(rest, io)
  if (first === '--version' || first === '-V') {
    io.out(`${versionText()}\n`)
    return 0
  }
  const entry = findVerb(first)
  // What follows `--` are names of files, whatever they look like.
  const end = rest.indexOf('--')
  const words = end < 0 ? rest : rest.slice(0, end)
  if (words.includes('--help') || words.includes('-h')) return help([first], io)
  const verb = await entry.load()
  return verb.run(rest, io)
}

async function help(names: readonly string[], io: Io): Promise<number> {
  const name = names.find((one) => !one.startsWith('-'))
  io.out(name === undefined ? overview() : helpText((await findVerb(name).load()).help))
  return 0
}

function helpText(help: string): string {
  return help.endsWith('\n') ? help : `${help}\n`
}

function findVerb(name: string): VerbEntry {
  const entry = verbs.find((one) => one.name === name)
  if (entry !== undefined) return entry
  const what = name.startsWith('-') ? 'option' : 'verb'
  const known = verbs.map((one) => one.name)
  const meant =
    what === 'option' ? closestName(name, ['--help', '--version']) : closestName(name, known)
  const hint = meant === null ? 'see `pawl --help`' : `did you mean \`pawl ${meant}\`?`
  throw new PawlError('USAGE', `there is no ${what} \`${name}\``, { hint })
}

function overview(): string {
  const width = Math.max(...verbs.map((one) => one.name.length))
  const list = verbs.map((one) => `  ${one.name.padEnd(width)}  ${one.summary}`)
  return [
    'pawl keeps AI agents inside a process that people define',
    '',
    'Usage: pawl VERB [OPTIONS] FILE…',
    '',
    'Verbs:',
    ...list,
    '',
    'Options:',
    '  --help     this text; `pawl VERB --help` for one verb',
    '  --version  the version of Pawl',
    '',
    'Exit codes: 0 done, 1 findings or failures, 2 it could not be done',
    '',
  ].join('\n')
}
