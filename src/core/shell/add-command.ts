/**
 * One simple command joins the facts, and with it whatever it runs: inner commands beside it,
 * scripts of inner shells as trees still to be walked.
 */

import type { ReadWord } from './expand-word.ts'
import { withoutPager } from './git-globals.ts'
import { parseShell, type SyntaxNode } from './parse.ts'
import { expandedIn, type Facts, noteHidden, noteWrite } from './shell-facts.ts'
import { unwrap } from './unwrap.ts'
import type { Feed } from './unwrap-result.ts'
import { learnVariables } from './variables.ts'
import { type FolderState, movedBy } from './working-folders.ts'
import { baseName } from './wrappers.ts'

/** Where in the text something stands. */
export type CommandScope = FolderState & {
  /** Runs once, one after the other: it is no branch, no loop and no function. */
  readonly isStraight: boolean
  readonly isInner: boolean
  /** What stands on the input of everything in there, unless it brings its own. */
  readonly feed: Feed
  /** Positions are those of the text itself, not of a script inside of it. */
  readonly isOuter: boolean
  readonly source: string
  /** How many inner shells and wrappers lie around it. */
  readonly depth: number
}

/** The most commands of one text, and the most words of one command. */
const commandsMax = 2_000
export const wordsMax = 5_000

/** How many wrappers and inner shells may be put into one another. */
export const wrappersDeepMax = 8

/** A command as it was read, before it is unwrapped. */
type FoundCommand = {
  readonly words: readonly ReadWord[]
  readonly assigns: readonly string[]
  readonly text: string
  readonly feed: Feed
  readonly stdin: string | null
}

type Outer = { readonly command: number; readonly word: number }

type Walking = { readonly facts: Facts; scope: CommandScope }

/** A tree to be walked in a scope of its own. */
export type Pending =
  | SyntaxNode
  | { readonly type: 'Mark'; readonly scope: CommandScope; readonly joins: boolean }

type Task = {
  readonly found: FoundCommand
  readonly within: Outer | null
  readonly isByRunner: boolean
  /** Run by the shell itself, so that it can move it elsewhere. */
  readonly isShells: boolean
  readonly depth: number
}

/** Adds it and what it wraps; what is left are scripts to walk, last first. */
export function addCommand(walk: Walking, found: FoundCommand): readonly Pending[] {
  const pending: Pending[] = []
  const before = walk.scope
  const { depth } = before
  const tasks: Task[] = [{ found, within: null, isByRunner: false, isShells: true, depth }]
  while (tasks.length > 0 && walk.facts.problem === null) {
    addOne(walk, tasks.shift() as Task, { tasks, pending, scope: before })
  }
  // Read from the end of the stack: each script sets its scope first and gives it back after.
  return pending.reverse()
}

type Queue = { readonly tasks: Task[]; readonly pending: Pending[]; readonly scope: CommandScope }

function addOne(walk: Walking, task: Task, queue: Queue): void {
  const { facts } = walk
  const { scope } = queue
  const { found, within, isByRunner, depth } = task
  const { assigns } = found
  const words = withoutPager(found.words)
  if (words.length === 0 && assigns.length === 0) return
  if (facts.commands.length >= commandsMax || words.length > wordsMax) {
    facts.problem = { reason: 'it has too many parts', token: found.text.slice(0, 40) }
    return
  }
  const values = words.map((word) => word.value)
  const isStatic = !values.includes(null)
  facts.commands.push({
    words: values,
    starts: isStatic ? (values as string[]) : words.map((word) => word.start),
    wild: words.map((word) => word.isPattern),
    text: found.text,
    isInner: scope.isInner || within !== null || depth > 0,
    assigns,
    within,
    isByRunner,
    stdin: found.stdin,
    isPiped: found.feed.kind === 'unknown' && found.feed.isPipe === true,
    dirs: scope.dirs,
  })
  if (words.length === 0) return
  if (values[0] === null) {
    const reason = 'the name of the command is only known when it runs'
    noteHidden(facts, { kind: 'code', reason, token: words[0]?.text ?? '' })
  }
  learnVariables(facts, words, scope.dirs)
  doubtWords(facts, words)
  const dirs = task.isShells ? movedBy(words, scope.dirs) : null
  if (dirs !== null) walk.scope = { ...walk.scope, dirs, missed: scope.dirs }
  const index = facts.commands.length - 1
  for (const inner of unwrap(words, found.feed)) {
    if (inner.kind === 'hidden') {
      const { reason, token, isValue } = inner
      noteHidden(facts, { kind: isValue ? 'value' : 'code', reason, token })
      continue
    }
    if (depth >= wrappersDeepMax) {
      facts.problem = { reason: 'too many nested commands', token: found.text.slice(0, 40) }
      return
    }
    if (inner.kind === 'script') {
      // Only `eval` and `trap` run in the same shell and can move it elsewhere.
      const joins = values[0] === 'eval' || values[0] === 'trap'
      addScript(facts, inner.text, { queue, depth, joins })
    } else {
      const text = inner.words.map((word) => word.text).join(' ')
      for (const { name, value } of inner.assigns) noteWrite(facts, name, { value })
      queue.tasks.push({
        found: {
          ...found,
          words: inner.words,
          assigns: inner.assigns.map((one) => one.name),
          text,
        },
        within: inner.at === null ? null : { command: index, word: inner.at },
        isByRunner: inner.isByRunner || isByRunner,
        isShells: task.isShells && (values[0] === 'command' || values[0] === 'builtin'),
        depth: depth + 1,
      })
    }
  }
}

function addScript(
  facts: Facts,
  text: string,
  at: { readonly queue: Queue; readonly depth: number; readonly joins: boolean },
): void {
  const parsed = parseShell(text)
  if (!parsed.ok) {
    facts.problem = { reason: parsed.reason, token: parsed.token }
    return
  }
  const { scope, pending } = at.queue
  const inside: CommandScope = {
    ...scope,
    isStraight: !at.joins,
    isInner: true,
    feed: { kind: 'none' },
    isOuter: false,
    source: text,
    depth: at.depth + 1,
  }
  pending.push({ type: 'Mark', scope: inside, joins: false }, parsed.script, {
    type: 'Mark',
    scope,
    joins: at.joins,
  })
}

/** Actions of `find` that run or change something, wherever they stand in a word. */
const hiddenAction = /-(delete|exec|execdir|ok|okdir|fls|fprint|fprint0|fprintf)\b/

/** The words of `find` itself, without those of the commands it runs. */
function ownWords(words: readonly ReadWord[]): readonly ReadWord[] {
  let isInside = false
  return words.filter((word) => {
    if (isInside) {
      isInside = word.value !== ';' && word.value !== '+'
      return false
    }
    isInside = /^-(exec|execdir|ok|okdir)$|^-[xX]$/.test(word.start)
    return true
  })
}

const finders: ReadonlySet<string> = new Set(['find', 'gfind', 'fd', 'fdfind'])

/** An action of `find` can hide in a value: such words have to be told. */
function doubtWords(facts: Facts, words: readonly ReadWord[]): void {
  const name = baseName(words[0]?.value ?? '')
  if (!finders.has(name)) return
  for (const word of ownWords(words)) {
    if (word.value !== null) continue
    if (hiddenAction.test(word.text) || word.start.startsWith('-')) {
      const reason = `an option of \`${name}\` that is only known when it runs`
      noteHidden(facts, { kind: 'value', reason, token: word.text })
      continue
    }
    if (word.start !== '') continue
    const reason = `a word of \`${name}\` that could be an action`
    const token = word.text
    if (/\$\(|`|\$\{?[0-9@*]/.test(word.text)) {
      noteHidden(facts, { kind: 'value', reason, token })
    } else {
      facts.doubts.push({ names: expandedIn(word.text), allows: 'plain', reason, token })
    }
  }
}
