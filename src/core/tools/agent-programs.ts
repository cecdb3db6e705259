/**
 * Other agents in a shell command: a run would not hold an agent that its own agent starts.
 * Knows how programs, packages, scripts and modules are started. Must not know stages.
 */
import { otherAgents } from '../hosts/other-agents.ts'
import { agentHostIds, agentHosts, listIn } from '../hosts/registry.ts'
import type { GoodReading, SimpleCommand } from '../shell/shell-reading.ts'
import { baseName, runners } from '../shell/wrappers.ts'

type Words = SimpleCommand['words']

/** Verbs by which a program runs an agent; an empty list: whatever it is called with. */
const programs: ReadonlyMap<string, readonly string[]> = new Map([
  ...agentHostIds.map((id) => [agentHosts[id].program, []] as const),
  ...otherAgents.map(({ program, verbs }) => [program, listIn(verbs)] as const),
])
const packages: ReadonlySet<string> = new Set([
  ...agentHostIds.flatMap((id) => listIn(agentHosts[id].packages)),
  ...otherAgents.flatMap((one) => listIn(one.packages)),
])

const askingWords = /^(?:-v|-V|-h|--version|--help|help|version)$/
const scriptRunners = /^(?:node|nodejs|bun|deno|tsx|ts-node)$/
const moduleRunners = /^(?:python|pypy)[\d.]*$/
const scriptEnding = /\.(?:[cm]?[jt]s|py)$/
/** Options whose value is a package that is run. */
const packageOptions = /^(?:-p|--package|--from|--with|--spec)$/
/** Options whose value is a folder, a part of the project or a setting: never what is run. */
const valueOptions =
  /^(?:-C|--prefix|--cwd|--dir|--directory|--project|-w|--workspace|-F|--filter|--registry|--cache|--userconfig|--python|--env-file|--index-url|-i)$/
/** Options without a value, where what follows them is what is run. */
const flags =
  /^(?:-y|--yes|--no-install|-q|--quiet|--silent|-s|--bun|--|-m|-A|--allow-all|--no-warnings)$/
/** Words that are looked at. */
const wordsMax = 16

/** The command that starts another agent, which the run would not hold; null: there is none. */
export function agentsCommandIn({ commands }: GoodReading): string | null {
  return commands.find(({ words }) => startsAgent(words))?.text ?? null
}

function startsAgent(words: Words): boolean {
  const [first] = words
  if (first === undefined || first === null) return false
  const name = baseName(first)
  if (isAgent(name, words.slice(1))) return true
  const script = words[1] === 'run' ? 2 : 1
  if (scriptRunners.test(name) && candidates(words, script).some(isScriptAt(words))) return true
  if (moduleRunners.test(name)) {
    const at = words.indexOf('-m')
    return at > 0 && isAgent(moduleName(words[at + 1]), words.slice(at + 2))
  }
  const from = runnerEnd(words, name)
  return from !== null && candidates(words, from).some(isPackageAt(words))
}

function moduleName(word: string | null | undefined): string {
  return (word ?? '').replace(/\..*$/, '')
}

/** Whether a program runs an agent when it is called with these words. */
function isAgent(program: string, rest: Words): boolean {
  const verbs = programs.get(program)
  if (verbs === undefined) return false
  if (rest.length > 0 && rest.every((word) => word !== null && askingWords.test(word))) return false
  const verb = rest.find((word) => word === null || !word.startsWith('-'))
  return verbs.length === 0 || verb === undefined || verb === null || verbs.includes(verb)
}

/** The word behind a runner of tools, `npx` or `npm … exec`; null: the command is none. */
function runnerEnd(words: Words, name: string): number | null {
  for (const [program, verb] of runners) {
    if (program !== name) continue
    if (verb === undefined) return 1
    const at = candidates(words, 1).find((index) => words[index] === verb)
    if (at !== undefined) return at + 1
  }
  return name === 'uv' && words.indexOf('tool') === 1 && words[2] === 'run' ? 3 : null
}

/** The words, from one on, that may be what is run: the first that no option takes for itself. */
function candidates(words: Words, from: number): readonly number[] {
  const found: number[] = []
  for (let at = from; at < Math.min(words.length, wordsMax); at += 1) {
    const word = words[at]
    if (word === null || word === undefined) break
    const before = at > from ? (words[at - 1] ?? '') : ''
    if (flags.test(word)) continue
    if (word.startsWith('-')) {
      if (/^--(?:package|from|with|spec)=/.test(word)) found.push(at)
      continue
    }
    if (valueOptions.test(before)) continue
    found.push(at)
    // Behind an option that is not known, it may be a value: what follows counts too.
    const isValue = before.startsWith('-') && !flags.test(before)
    if (!isValue) break
    if (packageOptions.test(before)) continue
  }
  return found
}

function isPackageAt(words: Words): (at: number) => boolean {
  return (at) => {
    const written = (words[at] ?? '').replace(/^--\w+=/, '')
    // `npx ./tools/opencode` runs a folder of that name, whatever is in it.
    const [, name = written] = /^(@?[^@]+)(?:@[^/]*)?$/.exec(written) ?? []
    const rest = words.slice(at + 1)
    const isAsked = rest.length > 0 && rest.every((one) => one !== null && askingWords.test(one))
    return (packages.has(name) && !isAsked) || (!name.includes('/') && isAgent(name, rest))
  }
}

/** A script of an agent: it lies in a package of one, or has its name. */
function isScriptAt(words: Words): (at: number) => boolean {
  return (at) => {
    const path = words[at] ?? ''
    const isInPackage = [...packages].some((name) => `/${path}`.includes(`/node_modules/${name}/`))
    const name = baseName(path)
    const isNamed = scriptEnding.test(name) && programs.has(name.replace(scriptEnding, ''))
    const rest = words.slice(at + 1)
    if (rest.length > 0 && rest.every((one) => one !== null && askingWords.test(one))) return false
    return isInPackage || isNamed
  }
}
