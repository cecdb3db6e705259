/**
 * Reads one line of a walk: what it means in the situation the run is in.
 * Forgiving where only one thing can be meant; what could mean two things is explained and
 * never guessed. Must not know terminals.
 */

import { closestName } from '../../../core/closest-name.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { WalkAction } from '../../../testing/walk.ts'
import { commandNamed, commandWords } from './commands.ts'
import {
  beginningOf,
  isPossible,
  type PlayInput,
  type PlaySignal,
  type Situation,
  textFields,
  unclear,
} from './input.ts'
import { readCommand } from './read-command.ts'
import { looksLikeData, readData } from './read-data.ts'

/** Characters of one line. */
export const lineCharsMax = 20_000

/** The meaning of a line. */
export function readLine(
  line: string,
  situationOf: (branch: string | null) => Situation,
): PlayInput {
  if (line.length > lineCharsMax) {
    return unclear(
      `this line has ${line.length} characters`,
      `a line can have at most ${lineCharsMax}`,
    )
  }
  const text = line.trim()
  if (text === '' || text.startsWith('#')) return { kind: 'nothing' }
  const address = /^@(\S*)\s*/.exec(text)
  if (address === null) return readWords({ text, branch: null, situation: situationOf(null) })
  const name = address[1] ?? ''
  const main = situationOf(null)
  const isMain = name === '' || (name === 'main' && !Object.hasOwn(main.view.branches, 'main'))
  const branch = isMain ? null : name
  const rest = text.slice(address[0].length)
  if (rest === '') return { kind: 'look', branch }
  return readWords({ text: rest, branch, situation: situationOf(branch) })
}

function readWords(spoken: PlaySignal): PlayInput {
  const { text, situation } = spoken
  if (text.startsWith('/')) return readExplicit({ ...spoken, text: text.slice(1) })
  const word = text.split(/\s/, 1)[0] ?? ''
  if (word === 'send') return readSent({ ...spoken, text: text.slice(4).trim() })
  const command = commandNamed(word)
  const signal = beginningOf(text, situation.view.signals)
  if (command !== null && signal !== null) {
    if (isPossible(command, situation)) return twoMeanings(signal, command)
    const note = `read as the ${wordFor(situation)} \`${signal}\`, not as the command`
    return noted(readSignal(spoken, signal), note)
  }
  if (command !== null) {
    const twin = situation.view.signals.find((one) => one.toLowerCase() === word)
    const note = twin === undefined ? '' : `read as the command; to send the signal, write ${twin}`
    return noted(readCommand(command, { ...spoken, text: text.slice(word.length).trim() }), note)
  }
  if (signal !== null) return readSignal(spoken, signal)
  if (looksLikeData(text)) return readPairs(spoken)
  return readUnlisted(spoken)
}

function readExplicit(spoken: PlaySignal): PlayInput {
  const word = spoken.text.split(/\s/, 1)[0] ?? ''
  const command = commandNamed(word)
  const text = spoken.text.slice(word.length).trim()
  if (command === 'send') return readSent({ ...spoken, text })
  if (command !== null) return readCommand(command, { ...spoken, text })
  return unclear(`unknown command \`/${word}\``, suggestion(word, commandNames()))
}

function commandNames(): string[] {
  return commandWords.map((one) => one.name)
}

function suggestion(word: string, known: readonly string[]): string {
  const near = closestName(word, known)
  return near === null ? '`help` lists the commands' : `did you mean \`${near}\`?`
}

function twoMeanings(signal: string, command: string): PlayInput {
  return unclear(
    `\`${signal}\` can be sent here, but \`${command}\` is also a command`,
    `write \`send ${signal}\` or \`/${command}\``,
  )
}

function noted(input: PlayInput, note: string): PlayInput {
  if (input.kind !== 'acts' || note === '') return input
  return { ...input, note: input.note === '' ? note : `${note}; ${input.note}` }
}

// ── signals ─────────────────────────────────────────────────────────────────

/** The line begins with this signal, written as the author wrote it. */
function readSignal(spoken: PlaySignal, signal: string): PlayInput {
  const rest = spoken.text.slice(signal.length).trim()
  return speak(spoken, signal, rest)
}

/** A signal with what follows it, in the words of the dialect. */
function speak({ branch, situation }: PlaySignal, name: string, rest: string): PlayInput {
  if (situation.view.dialect === 'process') {
    if (rest === '') return acts({ kind: 'answer', answer: name, branch })
    return unclear(`an answer carries no data, but \`${rest}\` follows it`, `write \`${name}\``)
  }
  if (rest !== '' && !looksLikeData(rest)) {
    const hint = `write \`${name} key=value\` or \`${name} {"key": …}\``
    return unclear(`\`${rest}\` after \`${name}\` is not data`, hint)
  }
  const read = readData(rest, textFields(situation))
  if (!read.ok) return { kind: 'unclear', trouble: read.trouble }
  if (situation.view.dialect === 'steps') return submitted(read.data, branch)
  return acts({ kind: 'signal', name, data: rest === '' ? null : read.data, branch })
}

function acts(act: WalkAction, note = ''): PlayInput {
  return { kind: 'acts', acts: [act], note }
}

function submitted(inputs: JsonObject, branch: string | null): PlayInput {
  return acts({ kind: 'submit', inputs, goTo: null, branch })
}

/** `send NAME`: as it is written, whether the definition knows it or not. */
function readSent(spoken: PlaySignal): PlayInput {
  const { text, situation, branch } = spoken
  if (text === '') return unclear('`send` needs a name', 'write `send NAME`')
  const known = beginningOf(text, knownSignals(situation))
  if (known !== null) return readSignal(spoken, known)
  if (situation.view.dialect === 'steps') {
    return unclear(`a form takes fields, not \`${text}\``, fieldHint(situation, text))
  }
  if (situation.view.dialect === 'process') return acts({ kind: 'answer', answer: text, branch })
  const name = text.split(/\s/, 1)[0] as string
  return speak(spoken, name, text.slice(name.length).trim())
}

function knownSignals({ machine, view }: Situation): string[] {
  const names = new Set(view.signals)
  for (const stage of Object.values(machine.stages)) {
    for (const name of Object.keys(stage.signals)) names.add(name)
  }
  return [...names]
}

/** Bare pairs or JSON: the fields of a form; any other dialect needs a name in front. */
function readPairs(spoken: PlaySignal): PlayInput {
  const { text, situation } = spoken
  if (situation.view.dialect !== 'steps') {
    const first = situation.view.signals[0] ?? 'NAME'
    const what = wordFor(situation)
    return unclear(`this is data without ${article(what)}`, `write \`${first} ${shorten(text)}\``)
  }
  const read = readData(text, textFields(situation))
  if (!read.ok) return { kind: 'unclear', trouble: read.trouble }
  return submitted(read.data, spoken.branch)
}

function shorten(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text
}

/** Nothing that can be sent now, written exactly: another spelling, or another stage's signal. */
function readUnlisted(spoken: PlaySignal): PlayInput {
  const { text, situation } = spoken
  const elsewhere = beginningOf(text, knownSignals(situation))
  if (elsewhere !== null) return readSignal(spoken, elsewhere)
  const alike = situation.view.signals.filter((name) => foldedFits(text, name))
  if (alike.length > 1) {
    const names = alike.map((one) => `\`${one}\``).join(' or ')
    return unclear(`\`${text}\` could be ${names}`, 'write it exactly')
  }
  const [meant] = alike
  if (meant !== undefined) {
    const exact = meant + text.slice(meant.length)
    return noted(readSignal({ ...spoken, text: exact }, meant), `read as \`${meant}\``)
  }
  const word = text.split(/\s/, 1)[0] ?? text
  const near = closestName(word, [...situation.view.signals, ...commandNames()])
  const isEventLike = situation.view.dialect === 'workflow' && /^[A-Z][A-Z0-9_:.-]*$/.test(word)
  if (near === null && isEventLike) return speak(spoken, word, text.slice(word.length).trim())
  return notUnderstood(spoken, word, near)
}

function foldedFits(text: string, name: string): boolean {
  return beginningOf(text.toLowerCase(), [name.toLowerCase()]) !== null
}

function notUnderstood(
  { text, situation }: PlaySignal,
  word: string,
  near: string | null,
): PlayInput {
  const what = article(wordFor(situation))
  const message = `\`${shorten(text)}\` is neither a command nor ${what} here`
  if (situation.view.dialect === 'steps') {
    return unclear(
      message,
      near === null ? fieldHint(situation, text) : `did you mean \`${near}\`?`,
    )
  }
  const sent = situation.view.dialect === 'process' ? text : word
  const nonetheless = `to send it anyway, write \`send ${shorten(sent)}\``
  const first = near === null ? '`help` lists the commands;' : `did you mean \`${near}\`?`
  return unclear(message, `${first} ${nonetheless}`)
}

function fieldHint({ view }: Situation, text: string): string {
  const field = view.missing[0] ?? view.fields[0]?.name
  if (field === undefined) return 'write `submit`'
  // The one field that is missing is probably meant; which of several, only the person knows.
  const value = view.missing.length !== 1 ? '…' : /\s/.test(text) ? JSON.stringify(text) : text
  return `to fill in a field, write \`${field}=${shorten(value)}\``
}

function wordFor({ view }: Situation): string {
  if (view.dialect === 'process') return 'answer'
  return view.dialect === 'workflow' ? 'event' : 'field'
}

function article(noun: string): string {
  return /^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`
}
