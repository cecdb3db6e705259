/**
 * What a command does to variables: declares, removes or shows them. Expansions are handled by the
 * walk.
 */

import type { ReadWord } from './expand-word.ts'
import {
  expandedIn,
  type Facts,
  noteHidden,
  noteWrite,
  type WrittenFileFact,
} from './shell-facts.ts'
import type { Dirs } from './shell-reading.ts'
import { trimEnd } from './trim-end.ts'
import { baseName } from './wrappers.ts'

type Learn = (facts: Facts, args: readonly ReadWord[]) => void

/** Notes what the words of one command say about variables. */
export function learnVariables(facts: Facts, words: readonly ReadWord[], dirs: Dirs): void {
  const first = words[0]?.value
  if (first === undefined || first === null) return
  learners.get(baseName(first))?.(facts, words.slice(1))
  const isInProc = dirs.some((dir) => dir?.startsWith('/proc'))
  for (const word of words) {
    if (showsEnvironment(word)) facts.listsVariables = true
    else if (isInProc && couldBeEnviron(lastOf(word.value ?? word.text))) {
      facts.listsVariables = true
    }
  }
}

const learners: ReadonlyMap<string, Learn> = new Map<string, Learn>([
  ['export', declares],
  ['declare', declares],
  ['typeset', declares],
  ['local', declares],
  ['readonly', declares],
  ['unset', (facts, args) => removes(facts, args)],
  ['read', reads],
  ['mapfile', reads],
  ['readarray', reads],
  ['getopts', (facts, args) => writesAll(facts, args.slice(1, 2))],
  ['printf', (facts, args) => afterOption(facts, args, '-v')],
  ['wait', (facts, args) => afterOption(facts, args, '-p')],
  ['let', evaluates],
  ['set', lists((args) => args.length === 0)],
  ['compgen', lists((args) => args.some((word) => /^-\w*[veA]/.test(word.start)))],
  ['printenv', printsNamed],
  ['env', changesEnvironment],
  ['exec', empties],
  ['ps', lists((args) => args.some(isBsdEnvironment))],
  ['envsubst', substitutes],
  ['make', lists(makePrints)],
  ['gmake', lists(makePrints)],
  ['npm', lists(runsEnv)],
  ['pnpm', lists(runsEnv)],
  ['yarn', lists(runsEnv)],
  ['docker', passes],
  ['podman', passes],
  ['nerdctl', passes],
  ['test', probes],
  ['[', probes],
])

function lists(isListing: (args: readonly ReadWord[]) => boolean): Learn {
  return (facts, args) => {
    if (isListing(args)) facts.listsVariables = true
  }
}

/** `export`, `declare` and their kin: they set names, show them, or tie one to another. */
function declares(facts: Facts, args: readonly ReadWord[]): void {
  const options = args.filter((word) => /^[-+]\w/.test(word.start)).map((word) => word.start)
  const named = args.filter((word) => !/^[-+]/.test(word.start))
  const isShowing = options.some((option) => /^-\w*p/.test(option))
  const isAboutFunctions = options.some((option) => /^-\w*[fF]/.test(option))
  if (isAboutFunctions) return
  if (named.length === 0) {
    facts.listsVariables = true
    return
  }
  const isInteger = options.some((option) => /^-\w*i/.test(option))
  const isReference = options.some((option) => /^-\w*n/.test(option))
  for (const word of named) {
    const name = /^([A-Za-z_]\w*)/.exec(word.start)?.[1]
    if (name === undefined) {
      noteHidden(facts, { kind: 'value', reason: 'the name of the variable', token: word.text })
      facts.listsVariables ||= isShowing
      continue
    }
    if (isTrickySubscript(word)) hideSubscript(facts, word)
    if (isInteger) {
      const reason = 'an integer whose value could contain a command'
      facts.doubts.push({ names: [name], allows: 'number', reason, token: word.text })
    }
    if (isShowing) facts.reads.add(name)
    if (isReference) refersTo(facts, word)
    if (!isShowing) noteWrite(facts, name, declaredValue(word))
  }
}

/** `declare -n r=NAME`: reading and writing `r` is reading and writing NAME. */
function refersTo(facts: Facts, word: ReadWord): void {
  const target = word.value?.split('=')[1]
  if (target === undefined || !/^[A-Za-z_]\w*$/.test(target)) {
    facts.listsVariables = true
    noteHidden(facts, { kind: 'value', reason: 'the name of a variable', token: word.text })
    return
  }
  facts.reads.add(target)
  noteWrite(facts, target, 'chosen')
}

function declaredValue(word: ReadWord): WrittenFileFact {
  if (word.value === null) return { value: null }
  const at = word.value.indexOf('=')
  return at < 0 ? 'number' : { value: word.value.slice(at + 1) }
}

function removes(facts: Facts, args: readonly ReadWord[]): void {
  if (args.some((word) => word.value === '-f')) return
  for (const word of args) {
    const name = /^([A-Za-z_]\w*)/.exec(word.start)?.[1]
    if (name !== undefined) noteWrite(facts, name, 'number')
    if (isTrickySubscript(word)) hideSubscript(facts, word)
  }
}

function reads(facts: Facts, args: readonly ReadWord[]): void {
  writesAll(
    facts,
    args.filter((word) => !word.start.startsWith('-')),
  )
}

function writesAll(facts: Facts, args: readonly ReadWord[]): void {
  for (const word of args) {
    const name = /^([A-Za-z_]\w*)/.exec(word.start)?.[1]
    if (name !== undefined) noteWrite(facts, name, 'chosen')
    if (isTrickySubscript(word)) hideSubscript(facts, word)
  }
}

function afterOption(facts: Facts, args: readonly ReadWord[], option: string): void {
  const at = args.findIndex((word) => word.start === option)
  const next = at < 0 ? undefined : args[at + 1]
  if (next !== undefined) writesAll(facts, [next])
}

/** `let` calculates, and a calculation can run what stands between brackets. */
function evaluates(facts: Facts, args: readonly ReadWord[]): void {
  for (const word of args) {
    const name = /^([A-Za-z_]\w*)/.exec(word.start)?.[1]
    if (name !== undefined) noteWrite(facts, name, 'number')
    if (word.value === null || /\$\(|`/.test(word.value)) hideSubscript(facts, word)
  }
}

function probes(facts: Facts, args: readonly ReadWord[]): void {
  args.forEach((word, i) => {
    if (isTrickySubscript(word)) hideSubscript(facts, word)
    const isProbed = /^-[vR]$/.test(args[i - 1]?.start ?? '')
    if (isProbed && word.value !== null) facts.reads.add(word.value)
    if (!isProbed || word.value !== null) return
    const reason = 'a variable name that could contain a command'
    const names = expandedIn(word.text)
    facts.doubts.push({ names, allows: 'plain', reason, token: word.text })
  })
}

function isTrickySubscript(word: ReadWord): boolean {
  const value = word.value ?? ''
  return value.includes('[') && /\$\(|`|\$\{/.test(value)
}

function hideSubscript(facts: Facts, word: ReadWord): void {
  noteHidden(facts, {
    kind: 'code',
    reason: 'a subscript that is evaluated again',
    token: word.text,
  })
}

function printsNamed(facts: Facts, args: readonly ReadWord[]): void {
  const named = args.filter((word) => !/^(-0|--null)$/.test(word.start))
  if (named.length === 0) facts.listsVariables = true
  for (const word of named) {
    if (word.value === null) facts.listsVariables = true
    else facts.reads.add(word.value)
  }
}

/** `exec -c` runs its command with nothing set. */
function empties(facts: Facts, args: readonly ReadWord[]): void {
  if (/^-\w*c/.test(args[0]?.start ?? '')) facts.empties = true
}

function changesEnvironment(facts: Facts, args: readonly ReadWord[]): void {
  // Only the options in front of the command are those of `env`.
  const command = args.findIndex((word) => !/^-|=/.test(word.start))
  const options = command < 0 ? args : args.slice(0, command)
  if (options.some((word) => /^(-|-\w*i\w*|--ignore-environment)$/.test(word.start))) {
    facts.empties = true
  }
  args.forEach((word, i) => {
    const glued = /^(?:-u|--unset=)(\w+)$/.exec(word.start)?.[1]
    const name = /^(-u|--unset)$/.test(word.start) ? args[i + 1]?.value : glued
    if (name !== undefined && name !== null) noteWrite(facts, name, 'number')
  })
  if (envShowsAll(args)) facts.listsVariables = true
}

/** `env` with nothing to run shows everything. */
function envShowsAll(args: readonly ReadWord[]): boolean {
  let i = 0
  while (i < args.length) {
    const start = args[i]?.start ?? ''
    if (/^(-u|--unset|-C|--chdir|-a|--argv0)$/.test(start)) i += 2
    else if (/^(-\w*S|--split-string|--help|--version)/.test(start)) return false
    else if (start.startsWith('-') || /^[A-Za-z_]\w*=/.test(start)) i += 1
    else return false
  }
  return true
}

/** BSD style: `ps auxe` shows environments, `ps -e` shows all processes. */
function isBsdEnvironment(word: ReadWord): boolean {
  return /^[A-Za-z]*e[A-Za-z]*$/.test(word.start) || /^-[A-Za-z]*E/.test(word.start)
}

/** Without a list of names, every variable named in its input is put in. */
function substitutes(facts: Facts, args: readonly ReadWord[]): void {
  const format = args.find((word) => !word.start.startsWith('-'))
  if (format === undefined || format.value === null) {
    facts.listsVariables = true
    return
  }
  for (const found of format.value.matchAll(/\$\{?([A-Za-z_]\w*)/g)) facts.reads.add(found[1] ?? '')
}

function makePrints(args: readonly ReadWord[]): boolean {
  return args.some((word) => /^(-[A-Za-z]*p[A-Za-z]*|--print-data-base)$/.test(word.start))
}

function runsEnv(args: readonly ReadWord[]): boolean {
  const named = args.map((word) => word.start).filter((start) => !start.startsWith('-'))
  return /^(run|run-script)$/.test(named[0] ?? '') && named[1] === 'env'
}

/** `docker run -e NAME` hands the value on. */
function passes(facts: Facts, args: readonly ReadWord[]): void {
  args.forEach((word, i) => {
    const glued = /^(?:-e|--env=)([A-Za-z_]\w*)$/.exec(word.start)?.[1]
    const next = /^(-e|--env)$/.test(word.start) ? args[i + 1]?.value : undefined
    const name = glued ?? next
    if (name !== undefined && name !== null && /^[A-Za-z_]\w*$/.test(name)) facts.reads.add(name)
  })
}

/** A path below `/proc`, or below nobody knows what, that could be somebody's environment. */
export function showsEnvironment(word: {
  readonly value: string | null
  readonly text: string
}): boolean {
  const text = word.value ?? word.text
  if (text.includes('/proc')) return couldBeEnviron(lastOf(text))
  return word.value === null && text.includes('/') && lastOf(text) === 'environ'
}

function lastOf(path: string): string {
  return trimEnd(path.slice(path.lastIndexOf('/') + 1), '"\'')
}

/** The name itself, or a pattern or an unfinished word: `env*`, `$x`. */
function couldBeEnviron(last: string): boolean {
  if (last === 'environ') return true
  if (!/[*?[$`{]/.test(last)) return false
  const known = /^[a-z]*/.exec(last)?.[0] ?? ''
  return 'environ'.startsWith(known)
}
