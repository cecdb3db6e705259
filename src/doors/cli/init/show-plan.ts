/**
 * What init and uninit are about to do, for people: host by host, file by file, line by line.
 */
import { diffLines } from '../../init/diff.ts'
import type { PlannedFile } from '../../init/plan.ts'
import type { HostPlan } from '../../init/plan-host.ts'
import type { Io } from '../io.ts'
import { type Line, line, printLines, span } from '../play/spans.ts'

/** The plan in words; `secret` is never shown. */
export function planText(plan: HostPlan, secret: string | null, io: Io): string {
  const { host, found, files, remarks } = plan
  const version = found.version ?? (found.program === null ? 'not found here' : 'version unknown')
  const lines: Line[] = [
    [span(host.title, 'strong'), span(` (${version})`)],
    ...files.flatMap((file) => fileLines(file, secret)),
    ...remarks.map((text) => line(`  ! ${text}`, 'warn')),
  ]
  return printLines(lines, io)
}

/** What becomes of a file. */
export function changeOf({ before, after }: PlannedFile): 'none' | 'new' | 'changed' | 'removed' {
  if (before === after) return 'none'
  if (before === null) return 'new'
  return after === null ? 'removed' : 'changed'
}

const changeWords = { none: 'as it should be', new: 'new', changed: 'changed', removed: 'removed' }

function fileLines(file: PlannedFile, secret: string | null): readonly Line[] {
  const { path, before, after } = file
  const change = changeOf(file)
  const head: Line = [span(`  ${path}`, 'accent'), span(`  ${changeWords[change]}`, 'dim')]
  // What goes away as a whole need not be read line by line.
  const lines = change === 'none' || change === 'removed' ? [] : diffLines(before, after)
  return [head, ...lines.map((text) => diffLine(masked(text, secret)))]
}

function diffLine(text: string): Line {
  const tone = text.startsWith('+') ? 'good' : text.startsWith('-') ? 'bad' : 'dim'
  return line(`    ${text}`, tone)
}

function masked(text: string, secret: string | null): string {
  return secret === null ? text : text.replaceAll(secret, '(token)')
}
