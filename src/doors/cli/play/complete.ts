/**
 * What the word at the end of a line could become. Knows the situation, not the terminal.
 */
import { commandNamed, commandWords } from './commands.ts'
import { isPossible, type Situation } from './input.ts'

/** Tools that hosts are known to have, where a stage permits all. */
const usualTools = ['Bash', 'Edit', 'Glob', 'Grep', 'MultiEdit', 'Read', 'WebFetch', 'Write']

/** Candidates that are offered at once. */
const hitsMax = 100

type Completion = [hits: string[], part: string]

/** Candidates for the end of a line, and the part of it that they replace. */
export function completeLine(
  line: string,
  situationOf: (branch: string | null) => Situation,
): Completion {
  const text = line.trimStart()
  const address = /^@(\S+)\s+/.exec(text)
  const branch = address?.[1] ?? null
  const rest = address === null ? text : text.slice(address[0].length)
  const situation = situationOf(branch)
  // WHY the whole line first: answers have spaces in them.
  const whole = firstWords(situation).filter((one) => one.startsWith(rest))
  if (whole.length > 0) return [finished(whole), rest]
  const part = /\S*$/.exec(rest)?.[0] ?? ''
  const word = rest.split(/\s/, 1)[0] ?? ''
  const hits = word === rest ? [] : laterWords(word, situation)
  return [finished(hits.filter((one) => one.startsWith(part))), part]
}

/** The only candidate gets the space behind it; a value follows its key at once. */
function finished(hits: readonly string[]): string[] {
  const [only] = hits
  if (hits.length !== 1 || only === undefined) return hits.slice(0, hitsMax)
  return [/[= ]$/.test(only) ? only : `${only} `]
}

function firstWords(situation: Situation): string[] {
  const { view } = situation
  const fields = view.fields.map((field) => `${field.name}=`)
  const branches = Object.keys(view.branches).map((name) => `@${name} `)
  const signals = view.dialect === 'steps' ? fields : view.signals
  return [...signals, ...commandsNow(situation), ...branches]
}

function commandsNow(situation: Situation): string[] {
  return commandWords.map((one) => one.name).filter((name) => isPossible(name, situation))
}

function laterWords(word: string, situation: Situation): string[] {
  const { view, machine, stage } = situation
  switch (commandNamed(word)) {
    case 'call':
    case 'call!':
      return view.tools === 'all' ? usualTools : [...view.tools]
    case 'force':
      return Object.keys(machine.stages)
    case 'goto':
      return [...Object.keys(machine.stages), ...fieldsOf(situation)]
    case 'submit':
      return fieldsOf(situation)
    case 'send':
      return [...view.signals]
    case 'done':
      return Object.keys(view.branches)
    case 'help':
      return commandWords.map((one) => one.name)
    case 'report':
      return ['ok=', 'output=', 'exit_code=', 'bytes=', 'cost_usd=']
    case 'pause':
      return ['person', 'release']
    case 'resume':
      return ['person']
    default:
      return view.dialect === 'steps' ? fieldsOf(situation) : guardFields(word, stage)
  }
}

function fieldsOf({ view }: Situation): string[] {
  return view.fields.map((field) => `${field.name}=`)
}

/** What the guards behind a signal look at: what its data could say. */
function guardFields(signal: string, stage: Situation['stage']): string[] {
  const routes = Object.hasOwn(stage.signals, signal) ? stage.signals[signal]?.routes : []
  const fields = (routes ?? []).flatMap((route) => [
    ...route.requires,
    ...route.guards.flatMap((guard) => (guard.kind === 'compare' ? [guard.field] : [])),
  ])
  return [...new Set(fields)].map((field) => `${field}=`)
}
