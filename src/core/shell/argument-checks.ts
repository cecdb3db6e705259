/**
 * What the value of an argument does, by its kind: whether it names a program, code, a file
 * outside of the workspace, or a place that keeps nothing. The kinds are those of the tables.
 */
import { anyOf } from './alternation-pattern.ts'
import { leavesFrom, type PathOrigin } from './leaves-workspace.ts'
import names from './names.json' with { type: 'json' }
import { changesSetting } from './program-grammar.ts'
import type { ProgramArgument } from './read-arguments.ts'
import { readAwk, readMiller, readSed, readSql } from './text-languages.ts'

export type ArgumentPlace = PathOrigin & {
  readonly program: string
  readonly argument: ProgramArgument
}

const device = /^\/dev\/(null|stdout|stderr|tty|fd\/[12])$/

/** A place that keeps nothing: the output, or a device. */
export function isNowhere(value: string | null): boolean {
  return value === '-' || (value !== null && device.test(value))
}

const dashIsFile: ReadonlySet<string> = new Set(names.dashIsFile.split(' '))

/** Whether what a program writes there is kept; to some, `-` is a file of that name. */
export function keepsOutput(value: string | null, program: string): boolean {
  return !isNowhere(value) || (value === '-' && dashIsFile.has(program))
}

/** Where code comes from when it comes through a stream that nobody reads beforehand. */
function isStream(value: string | null): boolean {
  return value !== null && /^(-|\/dev\/(stdin|fd\/.*)|\/proc\/.*\/fd\/.*)$/.test(value)
}

const tameProgram = anyOf(names.tamePrograms, '^(?:', ')?(?: -[\\w-]+)*$')
const projectFile = anyOf(names.projectFiles, '^(?:', ')$')
const sourceEnding = anyOf(names.sourceEndings, '\\.(?:', ')$')

/** Whether a program only shows or presses a text. */
export function isTameProgram(value: string | null): boolean {
  return tameProgram.test(value ?? '-')
}

/** Whether a file ends as sources do. */
export function isSourceFile(value: string): boolean {
  return sourceEnding.test(value)
}

/** Whether the file is part of what a project is made of, and no report on it. */
function isSource(value: string): boolean {
  const name = value.slice(value.lastIndexOf('/') + 1)
  return !isNowhere(value) && (projectFile.test(name) || sourceEnding.test(name))
}

const buildFolder = anyOf(names.buildFolders, '^(?:\\./)?(?:', ')(?:/|$)|\\.(?:min|bundle)\\.\\w+$')

/** Whether the result of a build goes where such results go. */
export function isBuildResult(value: string | null): boolean {
  return isNowhere(value) || (value !== null && buildFolder.test(value) && !value.includes('..'))
}

/** Kinds whose value has to be known, or to come from outside of the text. */
const chosen: ReadonlySet<string> = new Set(
  'load codefile makefile sed awk sql emit dir'.split(' '),
)

/** Whether an argument does more than a list of commands allows. */
export function isListTrouble(place: ArgumentPlace): boolean {
  const { argument, program } = place
  const { kind, value } = argument
  const isOpen = value === null && argument.isMade && argument.start === ''
  if (isOpen && chosen.has(kind)) return true
  switch (kind) {
    case 'program':
      return !isTameProgram(value)
    case 'code':
    case 'runs':
    case 'acts':
      return true
    case 'emit':
      return keepsOutput(value, program)
    case 'setting':
    case 'define':
      return changesSetting(program, value)
    case 'pass':
      return /load|plugin/.test(value ?? argument.start)
    case 'args':
      return argument.start.startsWith('@')
    case 'plugin':
      return !knownPlugin.test(value ?? '')
    case 'sed':
    case 'awk':
    case 'mlr':
    case 'sql':
      return isActing(kind, argument, program)
    case 'target':
      return isRiskyVariable(value ?? argument.start)
    case 'goal':
      return /^exec:|^(org\.codehaus\.mojo:)?exec-maven/.test(value ?? '')
    case 'remote':
      return /^(ext|fd|transport)::/.test(value ?? argument.start)
    case 'archive':
      return /^[^/]+:/.test(value ?? argument.start)
    case 'server':
      return (value ?? argument.start).includes('/')
    case 'template':
      return /^@|%output\{/.test(value ?? argument.start)
    case 'makefile':
    case 'load':
    case 'codefile':
      return isStream(value) || isAway(place) || settingAway.test(value ?? argument.start)
    case 'report':
    case 'cov': {
      const file = reportIn(value ?? argument.start)
      return isAway({ ...place, argument: { ...argument, value: file } }) || isSource(file)
    }
    case 'write':
      // Operands are what a listed program is for; `tee` stands behind others.
      if (argument.name === '' && !/^(tee|sponge)$/.test(program)) return false
      return isAway(place)
    case 'include':
    case 'dir':
    case 'upload':
    case 'document':
    case 'built':
      return isAway(place)
    case 'header':
    case 'sent':
      return isSentAway(place)
    case 'key':
      return /^of=/.test(argument.start) && isAway({ ...place, argument: afterKey(argument) })
    default:
      return false
  }
}

/** Settings as JSON, in the place of a file, that name a file outside of the workspace. */
const settingAway = /^\s*\{.*"(\/|~|\.\.\/)/s

const reportName = anyOf(names.reportNames, '(?:', ')')

/** Whether a file is called as reports are, or stands where they do. */
export function isReport(value: string | null): boolean {
  return isBuildResult(value) || reportName.test(reportIn(value ?? ''))
}

/** `--cov-report=html:dir`, `--outputFile.junit=x`: the file behind the format. */
function reportIn(value: string): string {
  const at = value.lastIndexOf(':')
  if (at >= 0) return value.slice(at + 1)
  return /^(term|html|xml|json|lcov|annotate)(-[a-z-]+)?$/.test(value) ? '-' : value
}

function afterKey(argument: ProgramArgument): ProgramArgument {
  const at = argument.start.indexOf('=') + 1
  return {
    ...argument,
    value: argument.value?.slice(at) ?? null,
    start: argument.start.slice(at),
  }
}

const knownPlugin = anyOf(names.pytestPlugins, '^(?:', ')$')

/** Whether a path leaves the workspace; only what is plainly a path, where it is an operand. */
function isAway(place: ArgumentPlace): boolean {
  const { argument } = place
  const text = argument.value ?? argument.start
  if (text === '' || isNowhere(text)) return false
  if (argument.name === '' && !/^[/~.]/.test(text)) return false
  return leavesFrom(place, text)
}

/** A file whose contents are sent: `-d @file`, `-F name=@file`. */
function isSentAway(place: ArgumentPlace): boolean {
  const { argument } = place
  const text = argument.value ?? argument.start
  const file = /^(?:[\w.[\]-]*=?[@<])([^;]*)/.exec(text)?.[1]
  return file !== undefined && file !== '' && leavesFrom(place, file)
}

/** Whether a script of `sed`, `awk`, `mlr` or a database runs programs or writes files. */
function isActing(kind: string, { value, start }: ProgramArgument, program: string): boolean {
  if (kind === 'sql') return readSql(program, value ?? start)
  const read = { sed: readSed, awk: readAwk, mlr: readMiller }[kind] ?? readAwk
  const { runs, writes } = read(value ?? start)
  return runs || writes
}

const makeNames = /^(SHELL|\.SHELLFLAGS|MAKE|MAKEFILES|MAKEFLAGS|MAKE_COMMAND|\.RECIPEPREFIX)$/
const wordsExpected = anyOf(names.makeWords, '(?:^|_|FLAGS|ARGS)(?:', ')$|FLAGS$')
const placeExpected = anyOf(names.makePlaces, '(?:^|_)(?:', ')$|DIR$')

/** `make PYTEST='touch x;'`: a variable that could be what a recipe runs. */
function isRiskyVariable(word: string): boolean {
  const [, name, value = ''] = /^([\w.-]+)\s*(?:[:?+!]|::)?=(.*)$/s.exec(word) ?? []
  if (name === undefined) return false
  if (makeNames.test(name) || /[;&|`<>\n]|\$[({]/.test(value)) return true
  if (/\s/.test(value.trim())) {
    return (
      !wordsExpected.test(name) &&
      !value
        .trim()
        .split(/\s+/)
        .every((one) => one.startsWith('-'))
    )
  }
  return /^(\.{0,2}\/|~)/.test(value) && !placeExpected.test(name)
}
