/**
 * Pawl's own program in a shell command: the command line uses a person's token, so an agent that
 * could use all of it could approve its own requests.
 * Knows verbs. Must not know stages.
 */
import { interpretedCode } from '../shell/interpreters.ts'
import type { GoodReading, SimpleCommand } from '../shell/shell-reading.ts'
import { baseName } from '../shell/wrappers.ts'

/** Verbs that decide nothing: they look, or work on files alone. */
const lookingVerbs: ReadonlySet<string> = new Set(
  'check test draw play convert judge state runs log wait watch status approvals help'.split(' '),
)
/** What an agent may do in its own name, and says so. */
const agentVerbs: ReadonlySet<string> = new Set(['start', 'signal', 'pause', 'cancel'])

/** Programs that start another one by its name or file. */
const starters =
  /^(?:npx|npm|pnpm|pnpx|yarn|bunx?|node|deno|tsx|exec|dlx|x|run|--?[\w-]+(?:=.*)?|--)$/
const program = /^pawl(?:\.(?:js|mjs|cjs|ts))?(?:@.*)?$/
/** Words in front of the program that are looked at. */
const wordsMax = 8

/** The command that only a person may give; null: there is none. */
export function personsCommandIn({ commands, hidden }: GoodReading): string | null {
  const isHidden = hidden.some(({ kind }) => kind === 'code')
  const found = commands.find((one) => {
    if (isPersons(one) || isRenaming(one) || speaksToPawl(one)) return true
    // What runs is not known, and this speaks of it.
    return isHidden && speaksOf(one.text)
  })
  return found?.text ?? null
}

const decidingVerb =
  /\b(?:approve|refuse|force|release|resume|people|uninit|init|db|import|signal)\b/

/** Whether a text gives the program, in one statement, a verb that decides something. */
function speaksOf(text: string): boolean {
  return text.split(/[\n;&|]/).some((statement) => {
    const at = statement.search(/\bpawl\b/)
    return at >= 0 && decidingVerb.test(statement.slice(at))
  })
}

/** Code, in whatever language, that uses the program as a person would. */
function speaksToPawl(command: SimpleCommand): boolean {
  return interpretedCode(command).some(speaksOf)
}

const renamers = /^(?:ln|link|cp|mv|install|alias|hash|rsync)$/

/** Another name for the program would hide it. */
function isRenaming({ words, text }: SimpleCommand): boolean {
  if (!renamers.test(baseName(words[0] ?? ''))) return false
  if (words.includes(null) && /\bpawl\b/.test(text)) return true
  const isAlias = words[0] === 'alias' || words[0] === 'hash'
  const sources = isAlias ? words.slice(1) : words.slice(1, -1)
  return sources.some((word) => {
    const value = isAlias ? (word ?? '').replace(/^[^=]*=/, '').split(' ')[0] : word
    return program.test(baseName(value ?? ''))
  })
}

const personsVerbs = /^(?:approve|refuse|force|release|resume|people|uninit)$/

/** A program that something in the text picks, so that nobody can tell whether it is Pawl. */
export function madeNameIn({ commands }: GoodReading): string | null {
  const found = commands.find(({ words, made, starts }) => {
    if (words[0] !== null) return false
    // `"$(npm bin)/eslint"`: what runs is known by its end.
    if (made[0] === true) return true
    return (starts[0] ?? '') === '' && personsVerbs.test(words[1] ?? '')
  })
  return found?.text ?? null
}

function isPersons({ words, assigns }: SimpleCommand): boolean {
  const at = programAt(words)
  if (at < 0) return false
  if (assigns.some((name) => name.startsWith('PAWL_'))) return true
  const rest = words.slice(at + 1)
  // A word that shows only when it runs may be any verb or option.
  if (rest.includes(null)) return true
  const said = rest as readonly string[]
  const verb = said.find((word) => !word.startsWith('-'))
  if (verb === undefined || isForHelp(said) || lookingVerbs.has(verb)) return false
  return !(agentVerbs.has(verb) && isAsAgent(said))
}

/** Behind `--` it is the name of a file, and the verb does its work. */
function isForHelp(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return (end < 0 ? words : words.slice(0, end)).includes('--help')
}

/** Options of package managers whose value is a folder or a part of the project. */
const folderOptions = /^(?:-C|-w|-F|--prefix|--cwd|--dir|--workspace|--filter)$/

function programAt(words: SimpleCommand['words']): number {
  for (const [index, word] of words.slice(0, wordsMax).entries()) {
    if (word === null) return -1
    if (index > 1 && folderOptions.test(words[index - 1] ?? '')) continue
    if (program.test(baseName(word))) return index
    if (!starters.test(baseName(word))) return -1
  }
  return -1
}

/** Said once and for all: a second `--as` would count instead. */
function isAsAgent(words: readonly string[]): boolean {
  const roles = words.flatMap((word, i) => {
    if (/^--as?$/.test(word)) return [words[i + 1] ?? '']
    return /^--as?=/.test(word) ? [word.slice(word.indexOf('=') + 1)] : []
  })
  return roles.length === 1 && roles[0] === 'agent'
}
