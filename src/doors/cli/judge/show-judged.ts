/**
 * The answer to a call, for a person or for a program. Knows texts. Must not judge.
 */
import { cellsOf } from '../../../core/draw/label-text.ts'
import type { JsonObject } from '../../../core/json.ts'
import { equalJson, own } from '../../../core/json.ts'
import { type Ansi, ansiFor, plain } from '../ansi.ts'
import type { Io } from '../io.ts'
import type { JudgedCall, PlacedAnswer, PlacedRule } from './judge-call.ts'

/** Characters of an input that are shown to a person; JSON has all of it. */
const shownCharsMax = 300

const signs: Readonly<Record<PlacedAnswer['says'], readonly [sign: string, colour: Ansi]>> = {
  allow: ['✔', 'green'],
  ask: ['?', 'yellow'],
  deny: ['✖', 'red'],
  nothing: ['·', 'dim'],
}

/** The answer for a person: the verdict, why, by which rule, and what instead. */
export function judgedText(judged: JudgedCall, io: Io): string {
  const { verdict, code, reason, rule, hint, runs } = judged
  const [sign, colour] = signs[verdict]
  const lines = [`${ansiFor(io, colour, `${sign} ${verdict}`)}  ${callText(judged)}`]
  const why = [code, reason].filter((part) => part !== null && part !== '').join(': ')
  if (why !== '') lines.push(`  ${oneLine(why)}`)
  if (rule !== null) lines.push(ansiFor(io, 'dim', `  by ${ruleText(rule)}`))
  if (runs !== null && !equalJson(runs, judged.input)) lines.push(`  runs as ${inputText(runs)}`)
  if (hint !== '') lines.push(`  → ${oneLine(hint)}`)
  return `${lines.join('\n')}\n`
}

/** Everything that was asked, in its order. */
export function chainText(chain: readonly PlacedAnswer[], io: Io): string {
  const width = Math.max(...chain.map(({ by }) => cellsOf(by)))
  const lines = chain.map(({ by, says, about, code, rule }) => {
    const [sign, colour] = signs[says]
    const named = code === null ? '' : `${code}: `
    const at = rule === null ? '' : ansiFor(io, 'dim', `  by ${ruleText(rule)}`)
    const text = oneLine(`${named}${about}`)
    return `    ${ansiFor(io, colour, sign)} ${by.padEnd(width)}  ${text}${at}`
  })
  return `${lines.join('\n')}\n`
}

/** The answer for a program: one object on one line. */
export function judgedJson(
  judged: JudgedCall,
  line: number | null,
  style: 'short' | 'whole',
): string {
  const { chain, ...rest } = judged
  const value = {
    ...(line === null ? {} : { line }),
    ...rest,
    ...(style === 'whole' ? { chain } : {}),
  }
  return `${JSON.stringify(value)}\n`
}

function callText({ tool, input, stage }: JudgedCall): string {
  return `${oneLine(tool)} ${inputText(input)}  (in ${oneLine(stage)})`
}

/** A command by itself is shown as it is written. */
function inputText(input: JsonObject): string {
  const command = own(input, 'command')
  const isAlone = typeof command === 'string' && Object.keys(input).length === 1
  return cut(oneLine(isAlone ? command : JSON.stringify(input)))
}

function ruleText({ pointer, file, line, column }: PlacedRule): string {
  return `${oneLine(pointer)} at ${oneLine(file)}:${line}:${column}`
}

function oneLine(text: string): string {
  return plain(text).replace(/\s*\n\s*/g, ' ⏎ ')
}

function cut(text: string): string {
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text
}
