/**
 * The parts of a shell text that a person should look at before they approve it: what runs unseen
 * code, deletes, forces, publishes, uses credentials or leaves the workspace, and where it stands.
 * Derived from what bash would run (`read-shell.ts`). Decides nothing: rules do.
 */
import { isOutside, leavesFrom } from '../shell/leaves-workspace.ts'
import { parseShell, type SyntaxNode, shellChildren } from '../shell/parse.ts'
import { programArguments } from '../shell/read-arguments.ts'
import { readShell } from '../shell/read-shell.ts'
import type { GoodReading, Redirection, SimpleCommand } from '../shell/shell-reading.ts'
import { baseName, shells, strangeShells } from '../shell/wrappers.ts'
import type { RiskKind } from './risk-kinds.ts'
import table from './risky-programs.json' with { type: 'json' }

/** A part of a text, from `begin` up to `end`, and what is risky about it. */
export type RiskyPart = {
  readonly kind: RiskKind
  readonly begin: number
  readonly end: number
  /** One sentence without a full stop. */
  readonly why: string
}

/** Parts that are told; who sees so many reads the whole text anyway. */
const partsMax = 50

/** The risky parts in the order of the text; they may overlap. */
export function riskyParts(text: string, workspace: string | null): readonly RiskyPart[] {
  const reading = readShell(text)
  if (!reading.ok) {
    const why = `nobody can tell what it runs: ${reading.reason}`
    return [{ kind: 'unreadable', begin: 0, end: text.length, why }]
  }
  const place = openPlaces(text, reading)
  const parts = [
    ...reading.commands.flatMap((command) =>
      risksOf(command, workspace).map((risk) => ({ ...risk, ...place(command, risk.word) })),
    ),
    ...reading.redirections.flatMap((one) =>
      risksOfFile(one, workspace).map((risk) => ({ ...risk, ...spanOf(text, one.text) })),
    ),
    ...hiddenCode(reading).map(({ token, why }) => {
      const command = reading.commands.find((one) => one.text === token)
      const span = command === undefined ? alone(text, token) : place(command, null)
      return { kind: 'unseen-code' as const, why, ...span }
    }),
    ...variableRisks(text, reading),
    ...listed(reading).map((risk) => ({ ...risk, ...place(risk.command, null) })),
  ]
  const unique = new Map<string, RiskyPart>()
  for (const { kind, begin, end, why } of parts) {
    const key = `${kind} ${begin} ${end}`
    if (!unique.has(key)) unique.set(key, { kind, begin, end, why })
  }
  return [...unique.values()].sort((a, b) => a.begin - b.begin || a.end - b.end).slice(0, partsMax)
}

function hiddenCode({ hidden }: GoodReading) {
  return hidden
    .filter(({ kind }) => kind === 'code')
    .map(({ token, reason }) => ({
      token,
      why: `it runs code that the text does not show: ${reason}`,
    }))
}

type Span = { readonly begin: number; readonly end: number }

/** Where a piece stands; all of the text where it is not found as written. */
function spanOf(text: string, piece: string): Span {
  const begin = piece === '' ? -1 : text.indexOf(piece)
  return begin < 0 ? { begin: 0, end: text.length } : { begin, end: begin + piece.length }
}

/**
 * Finds commands in the text, by the parser's tree; equal ones one after the other. What stands in
 * a wrapper or an inner shell, and so is in no tree, is marked with what it stands in.
 */
function openPlaces(text: string, { commands }: GoodReading) {
  const nodes = commandSpans(text)
  const spans = new Map<SimpleCommand, Span>()
  const find = (command: SimpleCommand): Span => {
    const known = spans.get(command)
    if (known !== undefined) return known
    const own = nodes.get(command.text)?.shift()
    const outer = command.within === null ? undefined : commands[command.within.command]
    const around = outer === undefined || outer === command ? null : find(outer)
    const span =
      own ?? (around === null ? alone(text, command.text) : inside(text, command.text, around))
    spans.set(command, span)
    return span
  }
  for (const command of commands) find(command)
  return (command: SimpleCommand, word: string | null): Span => {
    const span = find(command)
    if (word !== null) return inside(text, word, span)
    // The pipe belongs to it: what comes through it is the risk.
    const pipe = command.isPiped ? /\|&?\s*$/.exec(text.slice(0, span.begin)) : null
    return pipe === null ? span : { begin: pipe.index, end: span.end }
  }
}

/** A piece of a part of the text; all of that part where it is not found as written. */
function inside(text: string, piece: string, { begin, end }: Span): Span {
  const at = piece === '' ? -1 : text.indexOf(piece, begin)
  const isFound = at >= 0 && at + piece.length <= end
  return isFound ? { begin: at, end: at + piece.length } : { begin, end }
}

/** A piece that stands in the text once; else all of the text. */
function alone(text: string, piece: string): Span {
  const span = spanOf(text, piece)
  return piece !== '' && text.indexOf(piece, span.end) >= 0 ? spanOf(text, '') : span
}

/** Where the simple commands of a text stand, by how they are written. */
function commandSpans(text: string): Map<string, Span[]> {
  const found = new Map<string, Span[]>()
  const visit = (node: SyntaxNode): void => {
    // Positions in a script with escaped backticks are those of another text.
    if (node.type === 'Script' && node.source !== undefined && node.source !== text) return
    if (node.type === 'Command') {
      const written = text.slice(node.pos, node.end)
      const spans = found.get(written) ?? []
      spans.push({ begin: node.pos, end: node.end })
      found.set(written, spans)
    }
    for (const child of shellChildren(node)) visit(child)
  }
  const parsed = parseShell(text)
  if (parsed.ok) visit(parsed.script)
  return found
}

type Risk = {
  readonly kind: RiskKind
  readonly why: string
  /** The word it is about; null: the whole command. */
  readonly word: string | null
}

function risk(kind: RiskKind, why: string, word: string | null = null): Risk {
  return { kind, why, word }
}

function risksOf(command: SimpleCommand, workspace: string | null): readonly Risk[] {
  const program = baseName(command.words[0] ?? '')
  if (program === '') return []
  return [
    ...unseenCode(command, program),
    ...actsOf(command, program),
    ...forcesOf(command, program),
    ...(otherUsers.has(program) ? [risk('other-user', `\`${program}\` acts as another user`)] : []),
    ...pathsOf(command, workspace),
  ]
}

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '))
const interpreters = set(table.interpreters)
const otherUsers = set(table.otherUsers)
const talkers = set(table.talkers)

/** What reads its program from a pipe runs whatever comes. */
function unseenCode(command: SimpleCommand, program: string): readonly Risk[] {
  const isShell = shells.has(program) || strangeShells.has(program)
  if (!command.isPiped || !(isShell || interpreters.has(program.replace(/[\d.]+$/, '')))) return []
  const found = programArguments(command)
  const hasOwn = command.words.slice(1).some((word) => word !== null && !word.startsWith('-'))
  if (hasOwn && (found?.operands.length ?? 1) > 0) return []
  return [risk('unseen-code', `\`${program}\` runs whatever comes through the pipe`)]
}

type Act = {
  readonly program: string
  /** Words that have to be there, in this order, behind the program; absent: none. */
  readonly verbs?: string
  /** One of these words has to be there; absent: none. */
  readonly with?: string
  readonly kind: string
  readonly why: string
}

const acts = table.acts as readonly Act[]

/** What a table says of the program and its verbs. */
function actsOf(command: SimpleCommand, program: string): readonly Risk[] {
  const words = command.words.slice(1).map((word) => word ?? '')
  const plain = words.filter((word) => !word.startsWith('-'))
  return acts.flatMap((act) => {
    if (!fits(act.program, program)) return []
    const verbs = act.verbs?.split(' ') ?? []
    const isThere = verbs.every((verb, index) => fits(verb, plain[index] ?? ''))
    if (!isThere || (act.with !== undefined && !words.some((word) => hasOption(act, word))))
      return []
    return [risk(act.kind as RiskKind, act.why)]
  })
}

/** A word of the table: alternatives with `|` between them. */
function fits(pattern: string, word: string): boolean {
  return pattern === '*' ? word !== '' : pattern.split('|').includes(word)
}

/** Whether a word is one of the options of an act, alone, with a value, or among its letters. */
function hasOption({ with: options = '' }: Act, word: string): boolean {
  return options.split(' ').some((option) => {
    if (/^-\w$/.test(option)) return /^-\w+$/.test(word) && word.includes(option.slice(1))
    return option.endsWith('*')
      ? word.startsWith(option.slice(0, -1))
      : word === option || word.startsWith(`${option}=`)
  })
}

/** Checks that are skipped, whatever the program. */
function forcesOf({ words }: SimpleCommand, program: string): readonly Risk[] {
  if (talkers.has(program)) return []
  const word = words.find((one) => one !== null && /^--(force|no-verify|hard)\b/.test(one))
  return word == null ? [] : [risk('force', `\`${word}\` skips a check`, word)]
}

const credentialFile = new RegExp(table.credentialFiles, 'i')
const credentialName = new RegExp(table.credentialNames, 'i')
const template = /\.(example|sample|template|dist)$/i

/** Whether a path names a file that holds secrets, by its name. */
export function isCredentialFile(path: string): boolean {
  return credentialFile.test(path) && !template.test(path)
}

/** Words that name files with secrets, or places outside. */
function pathsOf(command: SimpleCommand, workspace: string | null): readonly Risk[] {
  const codes = new Set(
    [...(programArguments(command)?.operands ?? []), ...(programArguments(command)?.options ?? [])]
      .filter(({ kind }) => /^(code|sed|awk|script|shell|program)$/.test(kind))
      .map(({ at }) => at),
  )
  return command.words.flatMap((word, index) => {
    if (index === 0 || word === null || codes.has(index)) return []
    const path = word.replace(/^-[^=]*=|^[\w.]+=|^@|^-[A-Za-z](?=[./~])/, '').replace(/^@/, '')
    if (!isPathLike(path)) return []
    const found: Risk[] = []
    if (isCredentialFile(path)) found.push(risk('credentials', `\`${path}\` holds secrets`, path))
    if (leavesFrom({ dirs: command.dirs, workspace }, path)) {
      found.push(risk('outside', `\`${path}\` is outside of the workspace`, path))
    }
    return found
  })
}

/** WHY not any word: a pattern or a sentence is no path. */
function isPathLike(word: string): boolean {
  return word !== '' && !word.includes('://') && /^[\w.~@%+,:/*?[\]-]+$/.test(word)
}

function risksOfFile(
  { target, dirs, kind }: Redirection,
  workspace: string | null,
): readonly Risk[] {
  if (target === null) return []
  const origin = { dirs, workspace }
  if (/^\/dev\/(tcp|udp)\//.test(target)) return [risk('publishing', 'it talks to another machine')]
  return [
    ...(isCredentialFile(target) ? [risk('credentials', `\`${target}\` holds secrets`)] : []),
    ...(leavesFrom(origin, target) || isOutside(target, workspace)
      ? [risk('outside', `it ${kind}s \`${target}\`, outside of the workspace`)]
      : []),
  ]
}

/** Variables that look like secrets. */
function variableRisks(text: string, { variablesRead }: GoodReading): readonly RiskyPart[] {
  return variablesRead
    .filter((name) => credentialName.test(name))
    .map((name) => ({
      kind: 'credentials' as const,
      why: `\`$${name}\` looks like a secret`,
      ...spanOf(text, name),
    }))
}

const listers = set(table.listers)

/** Commands that show every variable. */
function listed({ commands, listsVariables }: GoodReading) {
  if (!listsVariables) return []
  const why = 'it shows all variables of the environment'
  return commands
    .filter(({ words }) => listers.has(baseName(words[0] ?? '')))
    .map((command) => ({ kind: 'credentials' as const, why, command }))
}
