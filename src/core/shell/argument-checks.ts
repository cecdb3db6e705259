/**
 * The checks that `argument-kinds.json` names: whether the value of an argument is a program, code,
 * a file outside of the workspace, or a place that keeps nothing.
 */
import { anyOf } from './alternation-pattern.ts'
import { isChangingTask } from './changing-words.ts'
import {
  isBuildResult,
  isNowhere,
  isProjectFile,
  isReport,
  keepsOutput,
  reportIn,
} from './file-names.ts'
import { leavesFrom, type PathOrigin } from './leaves-workspace.ts'
import names from './names.json' with { type: 'json' }
import { changesSetting } from './program-grammar.ts'
import type { ProgramArgument } from './read-arguments.ts'
import { actsInAwk, actsInMiller, actsInSed, onlyAsks, readSql } from './text-languages.ts'

/** The program, where it runs, and what its other arguments say. */
export type ArgumentScope = PathOrigin & {
  readonly program: string
  /** One of its options makes an archive. */
  readonly makes: boolean
  /** Its code stands in several options. */
  readonly isInParts: boolean
  /** It asks, or talks to this machine alone: whatever it sends changes nothing elsewhere. */
  readonly isLocal: boolean
}

/** Whether code for `sed` stands in several options. */
export function isInParts(options: readonly ProgramArgument[]): boolean {
  return options.filter(({ kind }) => kind === 'sed' || kind === 'codefile').length > 1
}

type ArgumentCheck = (argument: ProgramArgument, scope: ArgumentScope) => boolean

const tameProgram = anyOf(names.tamePrograms, '^(?:', ')?(?: -[\\w-]+)*$')

/** Whether a program only shows or presses a text. */
export function isTameProgram(value: string | null): boolean {
  return tameProgram.test(value ?? '-')
}

const knownPlugin = anyOf(names.pytestPlugins, '^(?:', ')$')

/** Code that comes through a stream or an address that nobody reads beforehand. */
const stream = /^(-|(?:data|blob|https?|ftp|file):.*|\/dev\/(stdin|fd\/.*)|\/proc\/.*\/fd\/.*)$/

/** Settings as JSON, in the place of a file, that name a file outside of the workspace. */
const settingAway = /^\s*\{.*"(\/|~|\.\.\/)/s

/** Whether a path leaves the workspace; only what is plainly a path, where it is an operand. */
function isAway({ name, start }: ProgramArgument, scope: ArgumentScope): boolean {
  if (start === '' || isNowhere(start)) return false
  if (name === '' && !/^[/~.]/.test(start)) return false
  return leavesFrom(scope, start)
}

/** What stands behind the sign in `of=x`. */
export function behindSign(argument: ProgramArgument): ProgramArgument {
  const at = argument.start.indexOf('=') + 1
  const { value, start } = argument
  return { ...argument, value: value?.slice(at) ?? null, start: start.slice(at) }
}

/** A file whose contents are sent: `-d @file`, `-F name=@file`. */
function isSentAway({ start }: ProgramArgument, scope: ArgumentScope): boolean {
  const file = /^(?:[\w.[\]-]*=?[@<])([^;]*)/.exec(start)?.[1]
  return file !== undefined && file !== '' && leavesFrom(scope, file)
}

const makeNames = /^(SHELL|\.SHELLFLAGS|MAKE|MAKEFILES|MAKEFLAGS|MAKE_COMMAND|\.RECIPEPREFIX)$/
const wordsExpected = anyOf(names.makeWords, '(?:^|_|FLAGS|ARGS)(?:', ')$|FLAGS$')
const placeExpected = anyOf(names.makePlaces, '(?:^|_)(?:', ')$|DIR$')

/** `make PYTEST='touch x;'`: a variable that could be what a recipe runs. */
function isRiskyVariable({ start }: ProgramArgument): boolean {
  const [, name, value = ''] = /^([\w.-]+)\s*(?:[:?+!]|::)?=(.*)$/s.exec(start) ?? []
  if (name === undefined) return false
  if (makeNames.test(name) || /[;&|`<>\n]|\$[({]/.test(value)) return true
  const words = value.trim().split(/\s+/)
  if (words.length > 1) {
    return !wordsExpected.test(name) && !words.every((one) => one.startsWith('-'))
  }
  return /^(\.{0,2}\/|~)/.test(value) && !placeExpected.test(name)
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
function isChangingGoal({ value }: ProgramArgument, { program }: ArgumentScope): boolean {
  const goal = value ?? ''
  if (/^mvn/.test(program) && goal.includes(':')) return !readingGoal.test(goal)
  return changingGoal.test(goal) || (program === 'rake' && isChangingTask(goal))
}

const harmlessPart = anyOf(names.compilerParts, '^[,=]?-(?:', ')')

/** What the parts of a compiler can do is told by what is known to be harmless. */
function isOtherPart({ start }: ProgramArgument): boolean {
  return !harmlessPart.test(start) || /[,=]-{1,2}(?:o|M\w*|Map|plugin\w*|load)\b/.test(start)
}

/** By the name that the table has for each. */
export const argumentChecks = {
  away: isAway,
  awkScript: ({ start }) => actsInAwk(start),
  changesDatabase: ({ value }) => !onlyAsks(value ?? '.'),
  changingGoal: isChangingGoal,
  changingMode: (argument) => !isHarmlessMode(argument),
  changingTask: ({ start }) => isChangingTask(start),
  codeFromElsewhere: (argument, scope) =>
    stream.test(argument.start) || isAway(argument, scope) || settingAway.test(argument.start),
  elsewhere: (_, { isLocal }) => !isLocal,
  keeps: ({ value }, { program }) => keepsOutput(value, program),
  keyAway: (argument, scope) => isAway(behindSign(argument), scope),
  keyKept: (argument) => keepsOutput(behindSign(argument).start, 'dd'),
  made: ({ value, isMade }) => value === null && isMade,
  madeArchive: ({ value }, { makes, program }) => makes && keepsOutput(value, program),
  millerScript: ({ start }) => actsInMiller(start),
  noBuildResult: ({ value }) => !isBuildResult(value),
  noReport: ({ value }) => !isReport(value),
  otherPart: isOtherPart,
  otherPlugin: ({ value }) => !knownPlugin.test(value ?? ''),
  otherProgram: ({ value }) => !isTameProgram(value),
  reportAway: (argument, scope) => {
    const start = reportIn(argument.start)
    return isAway({ ...argument, start }, scope) || isProjectFile(start)
  },
  riskyVariable: isRiskyVariable,
  // A part that ends with a backslash goes on in the next one.
  sedScript: ({ start }, { isInParts }) => (isInParts && start.endsWith('\\')) || actsInSed(start),
  sentAway: isSentAway,
  setting: ({ value }, { program }) => changesSetting(program, value),
  sqlScript: ({ start }, { program }) => readSql(program, start),
  // Operands are what a listed program is for; `tee` stands behind others.
  writtenAway: (argument, scope) =>
    (argument.name !== '' || /^(tee|sponge)$/.test(scope.program)) && isAway(argument, scope),
} satisfies Readonly<Record<string, ArgumentCheck>>
