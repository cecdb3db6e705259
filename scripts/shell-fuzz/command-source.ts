/**
 * Where fuzzed commands come from: the grammar, changed commands of the grammar, and changed
 * commands of the attack corpus.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ListName, namesOf, shortList, strangers } from './allow-lists.ts'
import { makeCommand } from './grammar.ts'
import { crossed, mutate } from './mutate.ts'
import { makeOptionCommand } from './option-grammar.ts'
import { type Random, randomFrom } from './random.ts'

export type Candidate = {
  readonly command: string
  readonly list: ListName
  /** Seed and number, to make it again. */
  readonly origin: string
}

const charsMax = 4_000

/** The commands of the corpus, with the listed programs put in place of its own. */
function corpusCommands(): readonly string[] {
  const file = join(import.meta.dirname, '..', '..', 'attacks', 'public.jsonl')
  const commands = new Set<string>()
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.trim() === '') continue
    const { area, attempt } = JSON.parse(line) as {
      area: string
      attempt?: { input?: { command?: unknown } }
    }
    const command = attempt?.input?.command
    if (!/^(shell|env)\./.test(area) || typeof command !== 'string') continue
    if (command.length < charsMax / 4) commands.add(command.replace(/\bpytest\b/g, 'npm test'))
  }
  return [...commands]
}

/** The candidate with this number: the same for the same seed, whatever came before. */
export function candidates(
  seed: number,
  kind: 'lists' | 'reading' | 'both' = 'both',
): (index: number) => Candidate {
  const corpus = corpusCommands()
  return (index) => {
    const random = randomFrom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))
    const isReading = kind === 'reading' || (kind === 'both' && random.chance(40))
    const list: ListName = isReading ? 'reading' : random.chance(50) ? 'short' : 'long'
    const origin = `seed ${seed} number ${index}`
    return { command: commandOf(random, list, corpus).slice(0, charsMax), list, origin }
  }
}

function commandOf(random: Random, list: ListName, corpus: readonly string[]): string {
  const made = (): string => {
    const isPlain = list !== 'reading' && random.chance(85)
    return isPlain ? makeCommand(random, list) : makeOptionCommand(random)
  }
  const known = (): string => random.pick(corpus)
  const kind = random.below(100)
  if (kind < 35) return made()
  if (kind < 60) return mutate(random, made())
  if (kind < 70) return crossed(random, made(), made())
  if (kind < 90) return mutate(random, renamed(random, known()))
  return crossed(random, renamed(random, known()), made())
}

/** Some of the strangers become listed programs: else nothing of the corpus would ever pass. */
function renamed(random: Random, command: string): string {
  const names = namesOf(shortList).filter((name) => name !== 'npm' && name !== 'git')
  return command.replace(/[a-z][\w-]+/g, (name) => {
    if (strangers.includes(name)) return random.chance(50) ? random.pick(names) : name
    return name
  })
}

/**
 * Whether running it would reach beyond the sandbox, or beyond the promise: bash can speak to the
 * network itself, a login shell runs the system's own profile, and a listed shell runs any file.
 */
export function isUnsafeToRun(command: string): boolean {
  const unquoted = command.replace(/['"\\]/g, '')
  const isLogin = /\b(bash|sh)\b.*(\s-\w*l|--login)/s.test(unquoted)
  const isFile = /(\b(bash|sh|source)|\.)[\s<>][^;&\n]*(names\.txt|evil)/.test(command)
  // It would leave the folder, or fill the machine.
  const isFar = /\bcd\b.*(\.\.|\/)|\byes\b|:\(\)/.test(command)
  return isLogin || isFile || isFar || /\/dev\/?(tcp|udp)/.test(command) || command.includes('\0')
}

/** Whether a stranger is named anywhere: these are the commands that could go wrong. */
export function namesStranger(command: string): boolean {
  return strangers.some((name) => command.includes(name))
}
