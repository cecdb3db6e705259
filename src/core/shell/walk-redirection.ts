/** Redirections in a walk: the files they open, and the input they give a command. */

import { readWord } from './expand-word.ts'
import type { RedirectionNode, WordPart } from './parse.ts'
import { expandedIn, giveUp, hideCode, noteWrite } from './shell-facts.ts'
import type { Feed } from './unwrap-result.ts'
import { lookupIn } from './variable-values.ts'
import { doubtSubscript } from './variables.ts'
import type { ShellWalk } from './walk-state.ts'
import { listWords } from './walk-words.ts'

/** What a redirection puts on the input of a command. */
export type Fed = { readonly feed: Feed; readonly stdin: string | null }

/** Notes a redirection; what it feeds the command with, if it does. */
export function visitRedirection(walk: ShellWalk, node: RedirectionNode): Fed | null {
  const { facts, scope } = walk
  const { descriptor } = node
  if (descriptor?.type === 'FileDescriptorVariable') {
    const { name } = descriptor
    noteWrite(facts, /^\w*/.exec(name)?.[0] ?? '', 'number')
    doubtSubscript(facts, { value: name, text: name })
  }
  const isInput =
    descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0)
  if (node.type === 'HereDoc') {
    if (node.closing === undefined) {
      giveUp(facts, 'a here-document without its end', node.delimiter?.text ?? '')
      return null
    }
    if (scope.isOuter) facts.quoted.push({ begin: node.body.pos, end: node.body.end })
    walk.stack.push(node.body)
    doubtQuotes(walk, node.body.parts ?? [])
    const isKnown = (node.body.parts ?? []).every((part) => part.type === 'Literal')
    const text = node.body.text
    if (!isInput) return null
    return { feed: isKnown ? { kind: 'text', text } : { kind: 'unknown' }, stdin: text }
  }
  const target = node.target
  if (target === undefined) {
    giveUp(facts, 'a redirection without a target', node.operator)
    return null
  }
  if (target.parts !== undefined) walk.stack.push(target)
  const words = readWord(target, lookupIn(walk))
  const only = words.length === 1 ? words[0] : undefined
  const value = only === undefined || only.isPattern ? null : only.value
  if (node.type === 'HereString') {
    const text = value ?? target.text
    const feed: Feed = value === null ? { kind: 'unknown' } : { kind: 'text', text }
    return isInput ? { feed, stdin: text } : null
  }
  const isCopy = node.operator === '>&' || node.operator === '<&'
  if (isCopy && target.text.startsWith('-') && target.text !== '-') {
    // WHY: for bash `>&-` ends here and the rest is a word of its own; our parser reads on.
    giveUp(facts, 'a descriptor is closed and a word follows', target.text)
    return null
  }
  if (isCopy && value !== null && /^(\d+-?|-)$/.test(value)) {
    return node.operator === '<&' && isInput ? { feed: { kind: 'unknown' }, stdin: null } : null
  }
  if (node.operator === '>&' && /[$`\\<>]/.test(value ?? (only?.isMade ? '$' : ''))) {
    // WHY: bash expands the word, sees that it is no number, and expands the result again.
    giveUp(facts, 'the name of a file that is expanded twice', target.text)
    return null
  }
  const kind = node.operator === '<' || node.operator === '<&' ? 'read' : 'write'
  if (value === null || !isHarmless(value)) {
    const text = scope.source.slice(node.pos, node.end)
    facts.redirections.push({ kind, target: value, text, dirs: scope.dirs })
    // What else it may be where its variable has one of several values.
    for (const { value: other } of listWords(walk, target).slice(words.length)) {
      if (other !== null) facts.redirections.push({ kind, target: other, text, dirs: scope.dirs })
    }
  }
  const isStream = only?.isStream === true || node.operator === '<&'
  const readsIt = kind === 'read' && isInput
  return readsIt ? { feed: { kind: isStream ? 'unknown' : 'file' }, stdin: null } : null
}

// From the first quote of a line on: see `quotedCode` in `walk-values.ts`.
const quotedDollar = /^[^'"\n\r\u2028\u2029]*['"].*[$`]/m

/**
 * WHY: in a here-document single quotes inside of `${x:-'…'}` are letters, so what stands between
 * them is expanded; our parser takes them for quotes.
 */
function doubtQuotes(walk: ShellWalk, parts: readonly WordPart[]): void {
  for (const part of parts) {
    if (part.type !== 'ParameterExpansion' || !quotedDollar.test(part.text)) continue
    hideCode(walk.facts, 'quotes inside an expansion in a here-document', part.text)
    for (const name of expandedIn(part.text)) walk.facts.reads.add(name)
  }
}

/** Devices that keep nothing, and the streams the command has anyway. */
function isHarmless(target: string): boolean {
  return /^\/dev\/(null|zero|stdin|stdout|stderr|tty|fd\/\d+)$/.test(target)
}
