/**
 * Adds one simple command to the facts, with whatever it runs: inner commands, and scripts of
 * inner shells as trees to walk later.
 */

import type { ReadWord } from './expand-word.ts'
import { withoutPager } from './git-globals.ts'
import { parseShell, type SyntaxNode } from './parse.ts'
import { type Facts, giveUp, hideCode, noteWrite } from './shell-facts.ts'
import type { SimpleCommand } from './shell-reading.ts'
import { unwrap } from './unwrap.ts'
import type { Feed } from './unwrap-result.ts'
import { learnVariables } from './variables.ts'
import { type FolderState, movedBy } from './working-folders.ts'

/** Where in the text something stands. */
export type CommandScope = FolderState & {
  /** Runs once, one after the other: it is no branch, no loop and no function. */
  readonly isStraight: boolean
  /** Runs in any case, once, in the shell itself: what it assigns stays. */
  readonly isSure: boolean
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
  const { found, isByRunner, depth } = task
  const { assigns } = found
  const words = withoutPager(found.words)
  if (words.length === 0 && assigns.length === 0) return
  if (facts.commands.length >= commandsMax || words.length > wordsMax) {
    giveUp(facts, 'it has too many parts', found.text)
    return
  }
  const command = commandOf(task, words, scope)
  const name = command.words[0]
  facts.commands.push(command)
  if (words.length === 0) return
  if (name === null) {
    const reason = 'the name of the command is only known when it runs'
    hideCode(facts, reason, words[0]?.text ?? '')
  }
  if (name === 'source' || name === '.' || name === 'eval') facts.isOpaque = true
  // Behind another program, `declare` and `read` are no commands of the shell.
  facts.isSure = scope.isSure && task.isShells
  learnVariables(facts, words, { command, isFedTamely: () => isTameFeed(found.feed) })
  const dirs = task.isShells ? movedBy(words, scope.dirs) : null
  if (dirs !== null) walk.scope = { ...walk.scope, dirs, missed: scope.dirs }
  const index = facts.commands.length - 1
  for (const inner of unwrap(words, found.feed, command)) {
    if (inner.kind === 'hidden') {
      hideCode(facts, inner.reason, inner.token)
      continue
    }
    if (depth >= wrappersDeepMax) {
      giveUp(facts, 'too many nested commands', found.text)
      return
    }
    if (inner.kind === 'script') {
      // Only `eval` and `trap` run in the same shell and can move it elsewhere.
      const joins = name === 'eval' || name === 'trap'
      addScript(facts, inner.text, { queue, depth, joins, feed: restOf(found.feed) })
    } else {
      const text = inner.words.map((word) => word.text).join(' ')
      facts.isSure = false
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
        isShells: task.isShells && (name === 'command' || name === 'builtin'),
        depth: depth + 1,
      })
    }
  }
}

/** Whether what stands on the input of a command could be neither an option nor a command. */
function isTameFeed(feed: Feed): boolean {
  return feed.kind === 'unknown' ? feed.isTame?.() === true : feed.kind !== 'text'
}

/** What the commands of an inner script find on their input: any part of what it was fed with. */
function restOf(feed: Feed): Feed {
  if (feed.kind === 'none') return feed
  return feed.kind === 'unknown' && feed.isPipe
    ? { kind: 'unknown', isPipe: true }
    : { kind: 'file' }
}

function commandOf(
  { found, within, isByRunner, depth }: Task,
  words: readonly ReadWord[],
  scope: CommandScope,
): SimpleCommand {
  const { text, assigns, stdin, feed } = found
  const values: (string | null)[] = []
  const starts: string[] = []
  const wild: boolean[] = []
  const made: boolean[] = []
  // One loop: this is done for every command.
  for (const word of words) {
    values.push(word.value)
    starts.push(word.start)
    wild.push(word.isPattern)
    made.push(word.isMade)
  }
  return {
    words: values,
    starts,
    wild,
    made,
    text,
    isInner: scope.isInner || within !== null || depth > 0,
    assigns,
    within,
    isByRunner,
    stdin,
    isPiped: feed.kind === 'unknown' && feed.isPipe === true,
    isFed: feed.kind === 'file' || (feed.kind === 'unknown' && !feed.isPipe && stdin === null),
    dirs: scope.dirs,
  }
}

function addScript(
  facts: Facts,
  text: string,
  at: { readonly queue: Queue; readonly depth: number; readonly joins: boolean; feed: Feed },
): void {
  const parsed = parseShell(text)
  if (!parsed.ok) {
    giveUp(facts, parsed.reason, parsed.token)
    return
  }
  const { scope, pending } = at.queue
  const inside: CommandScope = {
    ...scope,
    isStraight: !at.joins,
    isSure: false,
    isInner: true,
    feed: at.feed,
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
