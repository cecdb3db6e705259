/**
 * What init and uninit are about to do, for people: host by host, file by file, line by line.
 */
import { isAbsolute } from 'node:path'
import { agentHosts } from '../../../core/hosts/registry.ts'
import type { PlannedFile } from '../../init/plan-files.ts'
import type { HostPlan } from '../../init/plan-host.ts'
import { textDiff } from '../../init/text-diff.ts'
import { shownPath } from '../inputs.ts'
import type { Io } from '../io.ts'
import { printLines, type StyledLine, styledLine, styledSpan } from '../play/styled-text.ts'

/** The plan in words; `secret` is never shown. */
export function planText(plan: HostPlan, secret: string | null, io: Io): string {
  const { host, found, files, remarks, workspace } = plan
  const version = found.version ?? (found.program === null ? 'not found here' : 'version unknown')
  const lines: StyledLine[] = [
    [styledSpan(agentHosts[host].title, 'strong'), styledSpan(` (${version})`)],
    ...files.flatMap((file) => [fileHead(file, workspace), ...fileLines(file, secret)]),
    ...remarks.map((text) => styledLine(`  ! ${text}`, 'warn')),
  ]
  return printLines(lines, io)
}

/** What becomes of a file. */
export function changeText({ before, after }: PlannedFile): 'none' | 'new' | 'changed' | 'removed' {
  if (before === after) return 'none'
  if (before === null) return 'new'
  return after === null ? 'removed' : 'changed'
}

const changeWords = { none: 'as it should be', new: 'new', changed: 'changed', removed: 'removed' }

function fileHead(file: PlannedFile, workspace: string): StyledLine {
  const name = isAbsolute(file.path) ? shownPath(file.path, workspace) : file.path
  return [
    styledSpan(`  ${name}`, 'accent'),
    styledSpan(`  ${changeWords[changeText(file)]}`, 'dim'),
  ]
}

function fileLines(file: PlannedFile, secret: string | null): readonly StyledLine[] {
  const change = changeText(file)
  // What goes away as a whole need not be read line by line.
  if (change === 'none' || change === 'removed') return []
  return textDiff(file.before, file.after).map((text) => diffLine(masked(text, secret)))
}

function diffLine(text: string): StyledLine {
  const tone = text.startsWith('+') ? 'good' : text.startsWith('-') ? 'bad' : 'dim'
  return styledLine(`    ${text}`, tone)
}

function masked(text: string, secret: string | null): string {
  return secret === null ? text : text.replaceAll(secret, '(token)')
}
