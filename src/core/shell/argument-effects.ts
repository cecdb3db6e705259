/**
 * What an argument does in a stage that only reads, by its kind in the tables: why it is more than
 * reading. A kind that is not here is judged as a list of commands judges it.
 */
import { anyOf } from './alternation-pattern.ts'
import { isBuildResult, isReport, keepsOutput } from './argument-checks.ts'
import { isChangingTask } from './changing-words.ts'
import names from './names.json' with { type: 'json' }
import type { ProgramArgument } from './read-arguments.ts'
import { onlyAsks } from './text-languages.ts'

/** The program, and what its other arguments say. */
export type EffectScope = {
  readonly program: string
  /** One of its options makes an archive. */
  readonly makes: boolean
  /** It asks, or talks to this machine alone: whatever it sends changes nothing elsewhere. */
  readonly isLocal: boolean
}

type Effect = {
  /** `…`: the word itself is put there. */
  readonly why: string
  readonly when: (argument: ProgramArgument, scope: EffectScope) => boolean
}

const always = () => true

function keeps({ value }: ProgramArgument, { program }: EffectScope): boolean {
  return keepsOutput(value, program)
}

function begins(pattern: RegExp): Effect['when'] {
  return ({ start }) => pattern.test(start)
}

/** `-write=false`, `--output=none`: what it would change it shows. */
export function isHarmlessMode({ kind, value }: ProgramArgument): boolean {
  return kind === 'mode' && /^(check|diff|false|none|show|json|vendor|readonly)$/.test(value ?? '')
}

/** Goals of Maven and tasks of Gradle that publish, or change sources. */
const changingGoal = anyOf(
  names.changingGoals,
  '^(?:',
  ')(?:[\\s:]|$)|(?:Apply|Format|Fix|Publish)$|^publish',
)
const readingGoal = anyOf(names.mavenGoals, '^(?:', ')$')

/** `plugin:goal` of Maven has to be known; other names are scripts of the project. */
function isChangingGoal({ value }: ProgramArgument, { program }: EffectScope): boolean {
  const goal = value ?? ''
  if (/^mvn/.test(program) && goal.includes(':')) return !readingGoal.test(goal)
  return changingGoal.test(goal) || (program === 'rake' && isChangingTask(goal))
}

function isChangingName({ start }: ProgramArgument): boolean {
  return isChangingTask(start)
}

const harmlessPart = anyOf(names.compilerParts, '^[,=]?-(?:', ')')

/** What the parts of a compiler can do is told by what is known to be harmless. */
function isUnknownPart({ start }: ProgramArgument): boolean {
  return !harmlessPart.test(start) || /[,=]-{1,2}(?:o|M\w*|Map|plugin\w*|load)\b/.test(start)
}

function isUnknownScript({ value, isMade }: ProgramArgument): boolean {
  return value === null && isMade
}

/** An address of this machine, as far as it begins with one. */
const loopback = /^(?:\w+:\/\/)?(?:localhost|127\.[\d.]+|\[?::1\]?|0\.0\.0\.0)(?:[:/?#]|$)/i

/** Whether all that a command talks to is this machine, or it sends nothing but a question. */
export function talksLocally(args: readonly ProgramArgument[]): boolean {
  const isAsking = args.every(({ kind, start }) => kind !== 'method' || asking.test(start))
  if (isAsking && args.some(({ kind }) => kind === 'asks')) return true
  // They say which machine an address means.
  if (args.some(({ name }) => /^(connect-to|resolve)$/.test(name))) return false
  const addresses = args.filter(({ kind, start }) => {
    return /^(address|elsewhere|receiver)$/.test(kind) || (kind === 'request' && isAddress(start))
  })
  return addresses.length > 0 && addresses.every(({ start }) => loopback.test(start))
}

/** `http POST :3000/x a=1`: neither a method nor a field of what is sent. */
function isAddress(start: string): boolean {
  return !method.test(start) && !field.test(start)
}

const method = /^[A-Z]+$/
const asking = /^(?:get|head|options|trace)$/i
const field = /^[\w.[\]-]*(?::?=|==|@|:)(?!\/\/)/

/** Something that another machine is told, and may keep. */
function sends(pattern: RegExp): Effect {
  return {
    why: 'sends something to another machine by …',
    when: ({ start }, { isLocal }) => !isLocal && pattern.test(start),
  }
}

const changes = 'changes something'
const changesFiles: Effect = { why: 'changes files by …', when: always }
const loads: Effect = { why: 'loads code', when: always }
const written: Effect = { why: 'writes a file by …', when: keeps }
const scripted: Effect = {
  why: 'has a script that is only known when it runs',
  when: isUnknownScript,
}
const named: Effect = { why: `${changes} by …`, when: isChangingName }

const effects: ReadonlyMap<string, readonly Effect[]> = new Map<string, readonly Effect[]>([
  ['edits', [changesFiles]],
  ['writes', [changesFiles]],
  ['discards', [changesFiles]],
  ['script', [{ why: 'hands control to an interpreter', when: always }]],
  ['include', [loads]],
  ['codefile', [loads]],
  ['pass', [{ why: 'hands … to a part of the compiler', when: isUnknownPart }]],
  ['args', [{ why: 'has options that stand in a file', when: begins(/^@/) }]],
  ['bin', [named, { why: 'hands control to a script', when: begins(/^\.{0,2}\/|\.\w+$/) }]],
  ['task', [named]],
  ['target', [named, { why: 'installs', when: begins(/^(un)?install$/) }]],
  ['goal', [{ why: `${changes} by …`, when: isChangingGoal }]],
  ['source', [{ why: 'makes files', when: begins(/\.[cm]?[jt]sx?$/) }]],
  ['extracts', [{ why: 'makes files', when: always }]],
  ['write', [written]],
  ['document', [written]],
  ['built', [{ why: written.why, when: ({ value }) => !isBuildResult(value) }]],
  ['report', [{ why: written.why, when: ({ value }) => !isReport(value) }]],
  ['cov', [{ why: written.why, when: ({ value, start }) => /:/.test(start) && !isReport(value) }]],
  ['format', [{ why: written.why, when: begins(/=/) }]],
  ['sent', [sends(/^/)]],
  ['upload', [sends(/^/)]],
  ['receiver', [sends(/^/)]],
  [
    'method',
    [{ ...sends(/^/), when: ({ start }, scope) => !scope.isLocal && !asking.test(start) }],
  ],
  ['request', [sends(/^(?:POST|PUT|PATCH|DELETE)$|^[\w.[\]-]+(?::?=(?!=)|@)/i)]],
  ['archive', [{ why: 'makes a file', when: (one, scope) => scope.makes && keeps(one, scope) }]],
  [
    'key',
    [
      {
        why: 'writes a file',
        when: ({ start }) => /^of=/.test(start) && keepsOutput(start.slice(3), 'dd'),
      },
    ],
  ],
  [
    'output',
    [
      {
        why: 'writes files',
        when: ({ start }) => !/type=(docker|registry|image|cacheonly)/.test(start),
      },
    ],
  ],
  ['sed', [scripted]],
  ['awk', [scripted]],
  ['sql', [{ why: 'changes a database, or may', when: ({ value }) => !onlyAsks(value ?? '.') }]],
  ['branch', [{ why: 'discards changes', when: begins(/^\.|[*?[]|\/$|\.[a-z]{1,4}$/) }]],
  ['ref', [{ why: changes, when: begins(/:/) }]],
  ['assigned', [{ why: changes, when: begins(/=/) }]],
  // A GraphQL document in `query=`; other fields are its variables.
  ['query', [{ why: changes, when: begins(/^query=(?!\s*(query\b|\{))|\bmutation\b|^\w+=@|^$/) }]],
  ['dry', [{ why: changes, when: ({ value }) => value === 'none' }]],
  ['mode', [{ why: 'changes files', when: (one) => !isHarmlessMode(one) }]],
])

/** Why an argument is more than reading, with the word it stands in; null: it is not. */
export function whyByKind(
  argument: ProgramArgument,
  word: string,
  scope: EffectScope,
): string | null {
  const found = effects.get(argument.kind)?.find(({ when }) => when(argument, scope))
  return found === undefined ? null : found.why.replace('…', () => `\`${word}\``)
}
