/**
 * The walk over the tree of a text: visits every node once, in order, and collects what the rules
 * need. Iterative, because a tree can be as deep as a text is long.
 * Must not know lists, stages or hosts.
 */
import { addCommand, type CommandScope } from './add-command.ts'
import { type ReadWord, readWord, staticWord } from './expand-word.ts'
import {
  type Command,
  type Coproc,
  type ParsedScript,
  type Pipeline,
  problemOf,
  type Redirected,
  type SyntaxNode,
  shellChildren,
  shellExcerpt,
  type Word,
} from './parse.ts'
import {
  type Facts,
  giveUp,
  hideCode,
  hideValue,
  noteWrite,
  variableNamesIn,
} from './shell-facts.ts'
import { isTameOutput, textSaidBy } from './substitution-values.ts'
import type { Feed } from './unwrap-result.ts'
import { lookupIn } from './variable-values.ts'
import { noteAssignment, noteList } from './walk-assignments.ts'
import { branching, looping, setScope, settleFolders, visitAndOr } from './walk-folders.ts'
import { visitRedirection } from './walk-redirection.ts'
import { newWalk, pushItems, type ShellWalk, type WalkItem } from './walk-state.ts'
import { calculates, hasLoneParenthesis, noteTarget, visitParameter } from './walk-values.ts'
import { otherWords, wordsIn } from './walk-words.ts'
import { either } from './working-folders.ts'

/** The most nodes of all trees of one text. */
const shellNodesMax = 12_000

/** Visits a script and all that is in it, scripts of inner shells too. */
export function walkScript(script: ParsedScript, facts: Facts, scope: CommandScope): void {
  const walk = newWalk(script, facts, scope)
  while (walk.stack.length > 0 && facts.problem === null) {
    const item = walk.stack.pop() as WalkItem
    walk.nodesCount += 1
    if (walk.nodesCount > shellNodesMax) {
      return giveUp(facts, 'it has too many parts', '')
    }
    if (item.type === 'Mark') setScope(walk, item)
    else if (item.type === 'Step') item.run()
    else visit(walk, item)
  }
}

/** What a plain text is made of; everything else can hide or repeat something. */
const plainNodes: ReadonlySet<string> = new Set([
  ...['Script', 'Statement', 'AndOr', 'Pipeline', 'Command', 'Redirect'],
  ...['Word', 'Literal', 'SingleQuoted', 'DoubleQuoted'],
])

function visit(walk: ShellWalk, node: SyntaxNode): void {
  if (!plainNodes.has(node.type)) walk.facts.isPlain = false
  switch (node.type) {
    case 'Script':
      return visitScript(walk, node)
    case 'Command':
      return visitCommand(walk, node)
    case 'Pipeline':
      return visitPipeline(walk, node)
    case 'Subshell':
      return within(walk, unsure(walk.scope), shellChildren(node))
    case 'AndOr':
      return visitAndOr(walk, node)
    case 'Statement':
      settleFolders(walk)
      if (node.background) return within(walk, unsure(walk.scope), shellChildren(node))
      walk.stack.push(node.command)
      return
    case 'If':
    case 'Case':
      return branching(walk, shellChildren(node))
    case 'While':
    case 'ArithmeticFor':
      return looping(walk, shellChildren(node))
    case 'For':
    case 'Select':
      noteList(walk, node.name, node.wordlist)
      return looping(walk, shellChildren(node))
    case 'Function':
      walk.facts.functions.push(node.name.value)
      return looping(walk, [node.body])
    case 'Coproc':
      return visitCoproc(walk, node)
    case 'Redirected':
      return visitRedirected(walk, node)
    case 'ProcessSubstitution':
      if (isGlued(walk.scope.source, node)) {
        return giveUp(walk.facts, 'a redirection directly after a word', node.text)
      }
      return visitSubstitution(walk, node.script, node.text)
    case 'CommandExpansion':
    case 'ArithmeticCommandExpansion':
      return visitSubstitution(walk, node.script, node.text)
    case 'Redirect':
    case 'HereDoc':
    case 'HereString':
      visitRedirection(walk, node)
      return
    default:
      return visitPart(walk, node)
  }
}

/** Expansions, calculations and tests: what happens inside of words. */
function visitPart(walk: ShellWalk, node: SyntaxNode): void {
  const { facts } = walk
  switch (node.type) {
    case 'SimpleExpansion':
      facts.reads.add(node.text.slice(1))
      return
    case 'ParameterExpansion':
      visitParameter(walk, node)
      break
    case 'Assignment':
      noteAssignment(walk, node)
      break
    case 'ArithmeticWord':
      calculates(walk, node.value)
      for (const name of variableNamesIn(node.value)) facts.reads.add(name)
      break
    case 'ArithmeticBinary':
      if (/^([-+*/%&|^]|<<|>>)?=$/.test(node.operator)) noteTarget(walk, node.left)
      break
    case 'ArithmeticUnary':
      if (node.operator === '++' || node.operator === '--') noteTarget(walk, node.operand)
      break
    case 'ArithmeticCommand':
    case 'ArithmeticExpansion': {
      const text = node.type === 'ArithmeticCommand' ? node.body : node.text
      if (hasLoneParenthesis(text)) {
        return giveUp(facts, 'arithmetic that bash may read as commands', text)
      }
      if (node.expression !== undefined || !/[^\s()$[\]]/.test(text)) break
      hideValue(facts, 'an arithmetic expression', text)
      break
    }
    case 'ExtendedGlob':
      // WHY: bash knows such patterns only in `[[ ]]` unless it was told otherwise. Elsewhere they
      // are a mistake that ends a command early, and what follows is read as something else.
      if (!walk.tested.has(node)) giveUp(facts, 'a pattern that bash may not support', node.text)
      break
    case 'TestBinary':
      for (const part of node.right.parts ?? []) walk.tested.add(part)
      if (/^-(eq|ne|lt|le|gt|ge)$/.test(node.operator)) {
        calculates(walk, node.left.text)
        calculates(walk, node.right.text)
      }
      break
    case 'TestUnary':
      if (node.operator === '-v' || node.operator === '-R') {
        calculates(walk, node.operand.text)
        facts.reads.add(node.operand.text)
      }
      break
    case 'SingleQuoted':
    case 'DoubleQuoted':
    case 'AnsiCQuoted':
    case 'LocaleString':
      if (walk.scope.isOuter) facts.quoted.push({ begin: node.pos, end: node.end })
      break
    case 'Literal':
      return
  }
  pushItems(walk, shellChildren(node))
}

/** What is assigned in there is gone afterwards, or may never happen. */
function unsure(scope: CommandScope): CommandScope {
  return scope.isSure ? { ...scope, isSure: false } : scope
}

/** Visits in a scope of its own; afterwards everything is as before. */
function within(walk: ShellWalk, scope: CommandScope, items: readonly WalkItem[]): void {
  walk.stack.push({ type: 'Mark', scope: walk.scope, joins: false })
  pushItems(walk, items)
  walk.scope = scope
}

function visitScript(walk: ShellWalk, script: ParsedScript): void {
  const problem = problemOf(script)
  if (problem !== null) {
    const source = script.source ?? walk.scope.source
    return giveUp(walk.facts, problem.reason, shellExcerpt(source, problem.at))
  }
  if (script.source !== undefined)
    walk.scope = { ...walk.scope, source: script.source, isOuter: false }
  pushItems(walk, script.commands)
}

/**
 * WHY: for bash a stream that touches other characters is one word with them, `ls<(a)` another
 * program than `ls`, and a `#` behind it no comment. Our parser ends the word.
 */
function isGlued(source: string, node: { readonly pos: number; readonly end: number }): boolean {
  const isBefore = node.pos > 0 && /[^\s;&|(<>]/.test(source[node.pos - 1] ?? '')
  return isBefore || /[^\s;&|)<>]/.test(source[node.end] ?? '')
}

function visitSubstitution(walk: ShellWalk, script: ParsedScript | undefined, text: string): void {
  // `${ x; }` runs since bash 5.3; before, it is a mistake that ends elsewhere.
  if (script === undefined || text.startsWith('${')) {
    return giveUp(walk.facts, 'the substitution cannot be parsed', text)
  }
  within(walk, { ...unsure(walk.scope), isInner: true }, [script])
}

/** What a compound command is fed with, everything inside of it can read. */
function visitRedirected(walk: ShellWalk, node: Redirected): void {
  const depth = walk.stack.length
  let feed = walk.scope.feed
  for (const redirect of node.redirects) {
    const fed = visitRedirection(walk, redirect)
    if (fed !== null) feed = isOneCommand(node.command) ? fed.feed : unlessFile(fed.feed)
  }
  // The words of the redirections come first: they are expanded outside.
  const parts = walk.stack.splice(depth).reverse()
  const { scope } = walk
  walk.stack.push({ type: 'Mark', scope, joins: true })
  walk.stack.push(node.command)
  if (feed !== scope.feed)
    walk.stack.push({ type: 'Mark', scope: { ...scope, feed }, joins: false })
  pushItems(walk, parts)
}

/** Several commands share a text in parts that cannot be told; a file is a script like any. */
function unlessFile(feed: Feed): Feed {
  return feed.kind === 'file' || feed.kind === 'none' ? feed : { kind: 'unknown' }
}

function isOneCommand(node: Redirected['command']): boolean {
  if (node.type !== 'BraceGroup' && node.type !== 'Subshell') return false
  const { commands } = node.body
  return commands.length === 1 && commands[0]?.command.type === 'Command'
}

function visitPipeline(walk: ShellWalk, pipeline: Pipeline): void {
  if (pipeline.commands.length === 1) {
    const isNegated = pipeline.prefixes.some((prefix) => prefix.type === 'Negation')
    // `! cd a && b` runs `b` where it has not worked.
    if (isNegated) walk.stack.push({ type: 'Step', run: () => settleFolders(walk) })
    return pushItems(walk, pipeline.commands)
  }
  const { scope } = walk
  const { commands } = pipeline
  const read = (word: Word) => readWord(word, lookupIn(walk)).map((one) => one.value)
  // Several commands would share the text in parts that cannot be told.
  const said = commands[1]?.type === 'Command' ? textSaidBy(commands[0], read) : null
  const items = commands.flatMap((command, i): WalkItem[] => {
    if (i === 0) return [{ type: 'Mark', scope: unsure(scope), joins: false }, command]
    // Asked for by few commands: most do not care what they read.
    const isTame = () => isTameOutput(commands.slice(0, i), read)
    const feed: Feed = { kind: 'unknown', isPipe: true, isTame, said: i === 1 ? said : null }
    return [{ type: 'Mark', scope: { ...unsure(scope), feed }, joins: false }, command]
  })
  within(walk, unsure(scope), items)
}

function visitCoproc(walk: ShellWalk, node: Coproc): void {
  noteWrite(walk.facts, node.name?.value ?? 'COPROC', 'chosen')
  const text = walk.scope.source.slice(node.pos, node.end)
  const words = [staticWord('coproc', 'coproc')]
  addCommand(walk, { words, assigns: [], text, feed: { kind: 'none' }, stdin: null })
  within(walk, { ...unsure(walk.scope), isInner: true }, [node.body])
}

/** `{a[i]}>f`: the subscript of a variable for a descriptor is calculated, quoted or not. */
function refuseDescriptor({ facts, scope }: ShellWalk, { text, end }: Word): void {
  if (!text.startsWith('{')) return
  if (!/^\{[A-Za-z_]\w*\[/.test(text) || !/[<>]/.test(scope.source[end] ?? '')) return
  hideCode(facts, 'a subscript that is evaluated again', text)
}

/** Whether it is an `exec`, whose redirections stay for what follows; `command exec` is one too. */
function runsExec(words: readonly ReadWord[]): boolean {
  const first = words.find(({ value }) => !/^(command|builtin|-p|--)$/.test(value ?? ''))
  return first?.value === 'exec'
}

function visitCommand(walk: ShellWalk, command: Command): void {
  const assigns: string[] = []
  let feed: Feed = walk.scope.feed
  let stdin = feed.kind === 'unknown' ? (feed.said ?? null) : null
  const inside: WalkItem[] = []
  const isRead = command.name?.value === 'read'
  const parts =
    command.prefix.length === 0 ? command.suffix : [...command.prefix, ...command.suffix]
  for (let i = 0; i < parts.length; i += 1) {
    const part = parts[i] as (typeof parts)[number]
    if (part.type === 'Word') {
      if (part.parts !== undefined) inside.push(part)
      refuseDescriptor(walk, part)
    } else if (part.type === 'Assignment') {
      const isPrefix = i < command.prefix.length
      if (isPrefix) assigns.push(part.name)
      if (isPrefix && command.name !== undefined) walk.prefixed.add(part)
      // `IFS=, read`: it cuts the line that is read and is gone afterwards.
      const isCut = isPrefix && isRead && part.name === 'IFS' && part.value.type === 'Word'
      inside.push(isCut ? part.value : part)
    } else {
      const fed = visitRedirection(walk, part)
      if (fed !== null) {
        feed = fed.feed
        stdin = fed.stdin
      }
    }
  }
  if (command.name?.parts !== undefined) inside.push(command.name)
  const words = wordsIn(walk, command)
  const isExec = runsExec(words)
  if (isExec && feed !== walk.scope.feed) walk.scope = { ...walk.scope, feed: unlessFile(feed) }
  const { scope } = walk
  const text = walk.scope.source.slice(command.pos, command.end)
  const found = { words, assigns, text, feed, stdin }
  for (const one of addCommand(walk, found)) walk.stack.push(one)
  let moved = walk.scope
  for (const other of otherWords(walk, command)) {
    walk.scope = scope
    for (const one of addCommand(walk, { ...found, words: other })) walk.stack.push(one)
    if (walk.scope !== scope) moved = { ...moved, dirs: either(moved.dirs, walk.scope.dirs) }
  }
  walk.scope = moved
  if (inside.length === 0) return
  // The parts of the words are visited before whatever the command itself runs, or moves to.
  if (moved !== scope) walk.stack.push({ type: 'Mark', scope: moved, joins: false })
  walk.scope = scope
  pushItems(walk, inside)
}
