/**
 * How powerful a tool is, by the names that hosts and harnesses really use.
 * Knows tool names. Must not know machines: what a stage permits is asked elsewhere.
 */
import type { StageRule } from './machine.ts'

/** From harmless to reaching outside; a stage is as powerful as its most powerful tool. */
export type Power = 0 | 1 | 2 | 3 | 4
export const powers = { none: 0, read: 1, write: 2, execute: 3, external: 4 } as const

/** What a power lets the agent do, for messages. */
export const powerWords: Readonly<Record<Power, string>> = {
  0: 'use no tool',
  1: 'only read',
  2: 'change files',
  3: 'run commands',
  4: 'reach outside the workspace',
}

// Compared without case, `_`, `-` and `.`: `read_file`, `ReadFile` and `readFile` are one name.
const readTools = [
  'read, grep, glob, ls, notebookread, todoread, todowrite, taskoutput, bashoutput, toolsearch',
  'askuserquestion, enterplanmode, exitplanmode, updateplan, planupdate, slashcommand, think',
  'readfile, readmanyfiles, searchfiles, searchfile, searchfilecontent, searchcode, grepsearch',
  'listdirectory, listdir, listfiles, directorytree, getfileinfo, fileinfo, viewimage, view, cat',
  'filesearch, codebasesearch, codesearch, lsp, diagnostics, gitstatus, gitlog, gitdiff, gitshow',
  'gitblame, readlints, taskget, tasklist, taskcreate, taskupdate',
]
const writeTools = [
  'edit, write, multiedit, notebookedit, applypatch, patch, replace, strreplace, undoedit, create',
  'strreplaceeditor, strreplacebasededittool, writefile, editfile, createfile, deletefile',
  'movefile, renamefile, copyfile, createdirectory, createorupdatefile, insert, searchreplace',
]
const executeTools = [
  'bash, shell, sh, exec, execcommand, writestdin, localshell, terminal, runterminalcmd',
  'runshellcommand, runcommand, executecommand, runtest, runtests, runbuild, runscript, powershell',
  'killshell, killbash, taskstop, monitor, agent, task, spawnagent, skill, codeexecution, python',
]

const byName: ReadonlyMap<string, Power> = new Map([
  ...namesIn(readTools).map((name) => [name, powers.read] as const),
  ...namesIn(writeTools).map((name) => [name, powers.write] as const),
  ...namesIn(executeTools).map((name) => [name, powers.execute] as const),
])

function namesIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(', '))
}

/** The power of one tool. A name that nobody knows counts as reaching outside. */
export function powerOf(tool: string): Power {
  // `Bash(npm test:*)` is Bash.
  const bare = tool.replace(/\(.*$/s, '').trim().toLowerCase()
  if (bare === '') return powers.none
  if (bare.startsWith('mcp__'))
    return bare.startsWith('mcp__pawl__') ? powers.none : powers.external
  const plain = bare.replaceAll(/[_.-]/g, '')
  const known = byName.get(plain)
  if (known !== undefined) return known
  return plain.startsWith('git') ? powers.execute : powers.external
}

/** The most that a stage permits; `ownTools` are Pawl's own and gain nothing. */
export function powerOfRule(rule: StageRule, ownTools: ReadonlySet<string>): Power {
  const { allow, deny, among } = rule.tools
  // A rule about some tools leaves all others free.
  if (allow === 'all' || among !== null) return powers.external
  let most: Power = powers.none
  for (const tool of allow) {
    const isHarmless = ownTools.has(tool) || deny.includes(tool)
    const power = isHarmless ? powers.none : powerOf(tool)
    // An empty list of commands leaves a shell nothing to run.
    const isIdle = tool === rule.commandTool && rule.commands?.length === 0
    if (power > most && !isIdle) most = power
  }
  return most
}
