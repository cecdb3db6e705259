/**
 * Programs that run code they are given, and which argument contains it. Knows the words of one
 * command.
 */
import { alternationPattern } from './alternation-pattern.ts'
import { awkProgram } from './sed-awk-programs.ts'
import type { SimpleCommand } from './shell-reading.ts'
import { baseName } from './wrappers.ts'

/** How an interpreter is told to run a text. */
type Interpreter = { readonly code: RegExp; readonly asks: RegExp }

const asks = /^(-V|-v|--version|--help|-h|-\?)$/

const interpreters: readonly (readonly [RegExp, Interpreter])[] = [
  [/^(python|pypy)[\d.]*$/, { code: /^-\w*c$/, asks: /^(-V+|--version|--help|-h|-\?)$/ }],
  [/^(node|nodejs|tsx|ts-node)$/, { code: /^(-\w*[ep]|--eval|--print)$/, asks }],
  [/^ruby[\d.]*$/, { code: /^-\w*e$/, asks }],
  [/^perl[\d.]*$/, { code: /^-\w*[eE]$/, asks: /^(-[vV]|--version|--help|-h)$/ }],
  [/^php[\d.]*$/, { code: /^(-r|-B|-R|-E|--run)$/, asks: /^(-v|-i|-m|-l|--version|--help|-h)$/ }],
  [/^(lua|luajit)[\d.]*$/, { code: /^-e$/, asks }],
  [/^(osascript|Rscript|groovy|scala|julia|elixir|guile)$/, { code: /^(-e|--eval)$/, asks }],
  [/^(deno|bun)$/, { code: /^(eval|-e|-p|--eval|--print)$/, asks }],
  [/^(tclsh|expect|wish)$/, { code: /^-c$/, asks }],
]

/** Any of them: most commands are none, and one look tells. */
const anyInterpreter = new RegExp(interpreters.map(([pattern]) => pattern.source).join('|'))

/** Runners of tests and checks that are started as a module: they run what the project runs. */
const knownModules = alternationPattern(
  '^',
  [
    'pytest unittest doctest mypy ruff flake8 pylint pyflakes pycodestyle bandit coverage',
    'tox nox black isort pyright timeit site sysconfig platform json\\.tool tabnanny',
    'compileall py_compile pip build',
  ],
  '$',
)

/** The interpreter a command is, or null. */
export function interpreterOf(command: SimpleCommand): Interpreter | null {
  const name = baseName(command.words[0] ?? '')
  if (!anyInterpreter.test(name)) return null
  return interpreters.find(([pattern]) => pattern.test(name))?.[1] ?? null
}

/** The code a command is handed in its words or through a here-document; empty: none. */
export function interpretedCode(command: SimpleCommand): readonly string[] {
  const name = baseName(command.words[0] ?? '')
  if (/^[gmn]?awk$/.test(name)) return [awkProgram(command)]
  if (/^(jq|gojq|yq)$/.test(name)) return command.words.slice(1).map((word) => word ?? '')
  const interpreter = interpreterOf(command)
  if (interpreter === null) return []
  const codes: string[] = []
  command.starts.forEach((start, i) => {
    if (i > 0 && interpreter.code.test(start)) codes.push(command.words[i + 1] ?? command.text)
  })
  if (command.stdin !== null) codes.push(command.stdin)
  return codes
}

/** Whether an interpreter does more than tell its version or run a known tool. */
export function runsCode(command: SimpleCommand): boolean {
  const interpreter = interpreterOf(command)
  if (interpreter === null) return false
  const name = baseName(command.words[0] ?? '')
  const args = command.starts.slice(1)
  const first = args[0]
  if (first !== undefined && interpreter.asks.test(first) && args.length === 1) return false
  if (/^python|^pypy/.test(name) && first === '-m') return !isTameModule(args)
  if (name === 'node' || name === 'nodejs') return first !== '--test' && first !== '--check'
  if (name === 'ruby' || name === 'php') return !/^(-c|-wc|-l)$/.test(first ?? '')
  if (name === 'perl') return first !== '-c' && first !== '-wc'
  if (name === 'deno') return !/^(test|lint|check|fmt|info|doc|task|bench)$/.test(first ?? '')
  if (name === 'bun') return !/^(test|install|i|run|outdated|pm|build)$/.test(first ?? '')
  return true
}

function isTameModule(args: readonly string[]): boolean {
  const [, name, ...rest] = args
  if (name === 'pip') return /^(list|show|freeze|check|index|debug|config)$/.test(rest[0] ?? '')
  if (name === 'black' || name === 'isort') return rest.some((arg) => /^--(check|diff)/.test(arg))
  return knownModules.test(name ?? '')
}
