/**
 * What a name or an option says about files where no table knows it: tasks of a project that are
 * called after a change, and options that write, as most programs spell them.
 * Knows words. Must not know programs beyond the package managers.
 */
import { anyOf } from './alternation-pattern.ts'
import { isBuildResult, isSourceFile } from './file-names.ts'
import names from './names.json' with { type: 'json' }
import type { SimpleCommand } from './shell-reading.ts'
import { baseName } from './wrappers.ts'

const changing = anyOf(names.changingTasks, '^(?:', ')$')
const tame = anyOf(names.tameTasks, '^(?:', ')$')

/** Whether a task is called after a change: `deploy`, `lint:fix`, `db:migrate`. */
export function isChangingTask(task: string): boolean {
  // `-t=deploy`, `--targets=test,deploy`
  const [first = '', ...more] = task.replace(/^=/, '').split(',')
  if (more.length > 0) return [first, ...more].some(isChangingTask)
  // `make FIX=1`: a variable, and no task.
  if (first.includes('=')) return false
  const words = first
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z]+/)
  if (words.includes('dry')) return false
  if (words.includes('fix') || words.includes('autofix')) return true
  return words.some((word) => changing.test(word)) && !words.some((word) => tame.test(word))
}

const writingOption =
  /^--(fix|write|in-?place|update-?snapshots?|snapshot-update|auto-?correct(-all)?)(=(?!false)|$)/i
const outputOption =
  /(^|[-_.=])(out(put)?|log|report|data|(cpu|mem)?profile|trace|dump|junit|result)(?!er|ers)/i

/** The word that writes files, however the program is called; null: none. */
export function changesBySpelling(command: SimpleCommand, use: string): string | null {
  const { starts } = command
  const isManager = /^(npm|pnpm|yarn|bun)$/.test(baseName(command.words[0] ?? ''))
  for (let i = 1; i < starts.length; i += 1) {
    const word = starts[i] as string
    if (!word.startsWith('-')) continue
    if (use === 'builds' && (writingOption.test(word) || (isManager && word === '-u'))) return word
    if (isOutputOverSource(word, starts[i + 1])) return word
  }
  return null
}

/** `--outputFile=src/a.ts`, `-o log_file=src/a.py`: a report in the place of a source. */
function isOutputOverSource(word: string, next: string | undefined): boolean {
  const whole = word.includes('=') ? word : `${word}=${next ?? ''}`
  const at = whole.lastIndexOf('=')
  const value = whole.slice(at + 1)
  return outputOption.test(whole.slice(0, at)) && isSourceFile(value) && !isBuildResult(value)
}
