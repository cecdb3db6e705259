/**
 * The rows below the rules: what can be sent, what is missing or pending.
 * Knows views and machines. Must not know terminals beyond their width.
 */

import type { View } from '../../../core/dialects/run-view.ts'
import { cellsOf } from '../../../core/draw/label-text.ts'
import { compareText, conditionText, evidenceText } from '../../../core/draw/stage-facts.ts'
import type { FamilyMember } from '../../../core/engine/family.ts'
import { own } from '../../../core/json.ts'
import type { Guard, Route, Stage, Trigger } from '../../../core/machine/machine.ts'
import { moveText } from '../../../core/machine/move-text.ts'
import { addressed, type Walk } from '../../../testing/walk.ts'
import { hang, type StyledLine, styledSpan } from './styled-text.ts'
import { fieldLines, labelCells, row, valueText } from './view-lines.ts'

/** Routes of one signal that are shown. */
const routesMax = 6

function stageOf(member: FamilyMember): Stage | undefined {
  return own(member.machine.stages, member.state.stage)
}

/** Each signal with where it leads, so that a person sees what the agent can only guess. */
export function sendRows(view: View, leaf: FamilyMember, width: number): StyledLine[] {
  const stage = stageOf(leaf)
  if (view.dialect === 'steps' || view.signals.length === 0 || stage === undefined) return []
  const lines: StyledLine[] = []
  const nameCells = Math.min(24, Math.max(...view.signals.map(cellsOf)))
  for (const [index, name] of view.signals.entries()) {
    const label = styledSpan((index === 0 ? 'send' : '').padEnd(labelCells), 'dim')
    const gap = ' '.repeat(Math.max(1, nameCells - cellsOf(name) + 2))
    const trigger = own(stage.signals, name)
    const text = trigger === undefined ? 'this branch is done' : triggerText(trigger)
    const head = [label, styledSpan(name, 'accent'), styledSpan(gap)]
    lines.push(...hang(text, { head, width, tone: 'dim' }))
  }
  return lines
}

/** Where a signal leads, and when. */
export function triggerText({ routes, otherwise }: Trigger): string {
  const texts = routes.slice(0, routesMax).map(routeText)
  if (routes.length > routesMax) texts.push(`… ${routes.length - routesMax} more`)
  if (otherwise === 'complete' && texts.length === 0) texts.push('→ the end')
  return texts.join(' · else ')
}

function routeText(route: Route): string {
  const parts = [moveText(route.move)]
  if (route.guards.length > 0) parts.push(`when ${route.guards.map(guardRowText).join(' and ')}`)
  if (route.requires.length > 0) parts.push(`with ${route.requires.join(', ')}`)
  if (route.gate !== null) parts.push('after an approval')
  return parts.join(' ')
}

/** The name of a guard and what it looks at; one without a name is its own text. */
export function guardRowText(guard: Guard): string {
  if (guard.kind === 'expr') return conditionText([guard]).replace(/^\[(.*)\]$/s, '$1')
  const compared = guard.kind === 'evidence' ? evidenceText(guard) : compareText(guard)
  return guard.name === '' ? compared : `${guard.name} (${compared})`
}

/** The fields a form asks for, and how they are sent. */
export function fieldRows(view: View, leaf: FamilyMember, width: number): StyledLine[] {
  const lines = fieldLines(view, width)
  if (view.dialect === 'steps' && view.status === 'running') {
    const example = view.missing[0] ?? view.fields[0]?.name
    const canName = Object.values(stageOf(leaf)?.signals ?? {}).some((one) => one.canName)
    const ways = [...(example === undefined ? [] : [`${example}=…`]), 'submit']
    const how = [...ways, ...(canName ? ['goto STEP'] : [])].join(' · ')
    lines.push(...row('send', how, { width, tone: 'dim' }))
  }
  return lines
}

/** What has to happen before anything else, or could. */
export function waitingRows(view: View, leaf: FamilyMember, width: number): StyledLine[] {
  const lines: StyledLine[] = []
  if (view.pendingCall !== null) {
    const { name, arguments: input } = view.pendingCall
    const text = `${name} ${valueText(input)} · \`call\` makes it`
    lines.push(...row('queued', text, { width, tone: 'warn' }))
  }
  for (const open of leaf.state.openCalls.slice(-3)) {
    const text = `${open.tool} was allowed; report the result: ok · fail · report`
    lines.push(...row('open call', text, { width, tone: 'warn' }))
  }
  if (view.approval !== null) {
    const text = `${view.approval.message} (approve · refuse)`
    lines.push(...row('approval', text, { width, tone: 'warn' }))
  }
  if (view.status === 'paused') {
    const by = leaf.state.pause?.by.kind === 'person' ? 'resume person' : 'resume'
    lines.push(...row('paused', `\`${by}\` resumes the run`, { width, tone: 'warn' }))
  }
  return lines
}

/** The branches of an open fork. */
export function branchRows(walk: Walk, view: View, width: number): StyledLine[] {
  return Object.entries(view.branches).flatMap(([name, status], index) => {
    const label = styledSpan((index === 0 ? 'branches' : '').padEnd(labelCells), 'dim')
    const branch = addressed(walk.family, name)
    const isThere = branch.state.branch?.name === name
    const where = isThere ? `${status} at ${branch.state.stage}` : status
    const head = [label, styledSpan(`@${name}`, 'accent'), styledSpan('  ')]
    return hang(where, { head, width, tone: 'dim' })
  })
}
