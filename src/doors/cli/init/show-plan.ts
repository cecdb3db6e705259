/**
 * What init and uninit are about to do, for people: a summary of a few lines, and on request the
 * details, host by host and file by file.
 */
import { isAbsolute } from 'node:path'
import { agentHosts } from '../../../core/hosts/registry.ts'
import type { PlannedFile } from '../../init/plan-files.ts'
import type { HostPlan } from '../../init/plan-host.ts'
import { textDiff } from '../../init/text-diff.ts'
import { shownPath } from '../find-inputs.ts'
import type { Io } from '../io.ts'
import { printLines, type StyledLine, styledLine, styledSpan } from '../play/styled-text.ts'
import { cutLine, displayWidth, labelCells, row } from '../play/view-lines.ts'

/** All plans in at most five lines. `effect` is a label and its text. */
export function plansSummary(
  plans: readonly HostPlan[],
  effect: readonly [label: string, text: string],
  io: Io,
): string {
  const width = displayWidth(io)
  const count = (change: ReturnType<typeof changeText>): number => {
    const files = plans.flatMap((plan) => plan.files.map((file) => [file.path, file] as const))
    return [...new Map(files).values()].filter((file) => changeText(file) === change).length
  }
  const counts = (['new', 'changed', 'removed'] as const).flatMap((change) =>
    count(change) === 0 ? [] : [`${count(change)} ${change}`],
  )
  const notes = plans.reduce((sum, { remarks }) => sum + remarks.length, 0)
  const lines = [
    ...cutRow('folder', plans[0]?.workspace ?? '', width),
    ...cutRow('hosts', [...new Set(plans.map(hostText))].join(', '), width),
    ...cutRow('files', counts.length === 0 ? 'no changes' : counts.join(', '), width),
    ...cutRow(effect[0], effect[1], width),
    ...(notes === 0 ? [] : cutRow('notes', `${notes}, listed in the details`, width)),
  ]
  return printLines(lines, io)
}

function cutRow(label: string, text: string, width: number): StyledLine[] {
  return row(label, cutLine(text, width - labelCells), { width })
}

function hostText({ host, found }: HostPlan): string {
  return [agentHosts[host].title, found.version ?? ''].join(' ').trim()
}

/** What a person should know about each host. */
export function notesText(plans: readonly HostPlan[], io: Io): string {
  const lines = plans.flatMap(({ remarks }) =>
    remarks.map((text) => styledLine(`! ${text}`, 'warn')),
  )
  return printLines(lines, io)
}

/** Every change of the plans; `secret` is never shown. */
export function detailsText(plans: readonly HostPlan[], secret: string | null, io: Io): string {
  return plans.map((plan) => planText(plan, secret, io)).join('')
}

function planText(plan: HostPlan, secret: string | null, io: Io): string {
  const { host, found, files, remarks } = plan
  const version = found.version ?? (found.program === null ? 'not installed' : 'version unknown')
  const lines: StyledLine[] = [
    [styledSpan(agentHosts[host].title, 'strong'), styledSpan(` (${version})`)],
    ...files.flatMap((file) => [fileHead(file, plan), ...fileLines(file, secret)]),
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

const changeWords = { none: 'no change', new: 'new', changed: 'changed', removed: 'removed' }

function fileHead(file: PlannedFile, { workspace, scope }: HostPlan): StyledLine {
  const home = scope === 'user' ? '~/' : ''
  const name = isAbsolute(file.path) ? shownPath(file.path, workspace) : `${home}${file.path}`
  return [
    styledSpan(`  ${name}`, 'accent'),
    styledSpan(`  ${changeWords[changeText(file)]}`, 'dim'),
  ]
}

function fileLines(file: PlannedFile, secret: string | null): readonly StyledLine[] {
  const change = changeText(file)
  // A file that is removed as a whole need not be shown line by line.
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
