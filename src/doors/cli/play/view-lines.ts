/**
 * Lines about a view: its title, its brief, its fields, a label and its text.
 * Knows views. Must not know walks or machines.
 */
import { assertNever } from '../../../core/assert.ts'
import { briefWithoutRules, ruleLines } from '../../../core/dialects/rules-text.ts'
import type { View } from '../../../core/dialects/run-view.ts'
import { cellsOf } from '../../../core/draw/label-text.ts'
import type { Status } from '../../../core/engine/types.ts'
import type { Json } from '../../../core/json.ts'
import { own } from '../../../core/json.ts'
import type { Field } from '../../../core/machine/machine.ts'
import { hang, type StyledLine, styledLine, styledSpan, type Tone, wrap } from './styled-text.ts'

export type ViewFrame = { readonly columns: number }

/** Lines of a brief that are shown; the rest is only counted. */
const briefLinesMax = 60

/** Columns of a label with the space behind it; a longer one takes more. */
export const labelCells = 10

/** How wide a text may be: longer lines are hard to read. */
export function displayWidth({ columns }: ViewFrame): number {
  return Math.max(40, Math.min(columns > 0 ? columns - 1 : 79, 100))
}

/** A label and its text; long texts hang behind the label. */
export function row(
  label: string,
  text: string,
  style: { width: number; tone?: Tone },
): StyledLine[] {
  return hang(text, { head: [styledSpan(`${label.padEnd(labelCells - 1)} `, 'dim')], ...style })
}

/** The name of a definition on the left, the status of the run on the right. */
export function titleLine(view: View, width: number): StyledLine {
  const title = cutLine(view.name, width - 30)
  const right = `● ${view.status}`
  const gap = width - cellsOf(title) - cellsOf(view.dialect) - cellsOf(right) - 2
  return [
    styledSpan(title, 'strong'),
    styledSpan(`  ${view.dialect}${' '.repeat(Math.max(1, gap))}`, 'dim'),
    styledSpan(right, toneOf(view.status)),
  ]
}

/** A text cut to a number of columns, eight at least. */
export function cutLine(text: string, cellsMax: number): string {
  const max = Math.max(8, cellsMax)
  if (cellsOf(text) <= max) return text
  let kept = ''
  for (const char of text) {
    if (cellsOf(kept + char) > max - 1) break
    kept += char
  }
  return `${kept.trimEnd()}…`
}

/** The colour of a status. */
export function toneOf(status: Status): Tone {
  switch (status) {
    case 'running':
    case 'completed':
      return 'good'
    case 'waiting':
    case 'paused':
      return 'warn'
    case 'blocked':
    case 'failed':
    case 'cancelled':
      return 'bad'
    default:
      return assertNever(status)
  }
}

/** What the agent is told, behind a bar. */
export function briefLines(view: View, width: number): StyledLine[] {
  const lines = wrap(briefWithoutRules(view), width - 2)
  const shown = lines
    .slice(0, briefLinesMax)
    .map((text) => [styledSpan(text === '' ? '│' : '│ ', 'dim'), styledSpan(text)])
  const more = lines.length - briefLinesMax
  return more <= 0 ? shown : [...shown, styledLine(`│ … ${more} more lines`, 'dim')]
}

/** The rules of the stage and what is left of them; the tools also where all may be used. */
export function ruleRows({ rules, budget }: View, width: number): StyledLine[] {
  const lines = ruleLines(rules)
  const warned = budget?.warned ?? 0
  const toneOfMoney = warned === 0 ? 'plain' : warned < 100 ? 'warn' : 'bad'
  return [
    ...(lines[0]?.label === 'tools' ? [] : row('tools', 'all', { width })),
    ...lines.flatMap(({ label, text }) =>
      row(label, text, { width, tone: label === 'budget' ? toneOfMoney : 'plain' }),
    ),
  ]
}

/** The fields a form asks for, with what they have by now. */
export function fieldLines(view: View, width: number): StyledLine[] {
  const missing = new Set(view.missing)
  const lines: StyledLine[] = []
  const nameCells = Math.min(24, Math.max(0, ...view.fields.map((one) => cellsOf(one.name))))
  for (const [index, field] of view.fields.entries()) {
    const isMissing = missing.has(field.name)
    const label = styledSpan((index === 0 ? 'fields' : '').padEnd(labelCells), 'dim')
    const mark = isMissing
      ? styledSpan('○ ', 'warn')
      : styledSpan(isFilled(view, field) ? '● ' : '· ', 'good')
    const gap = ' '.repeat(Math.max(1, nameCells - cellsOf(field.name) + 2))
    const head = [
      label,
      mark,
      styledSpan(field.name, isMissing ? 'accent' : 'plain'),
      styledSpan(gap),
    ]
    lines.push(...hang(fieldText(field, view), { head, width, tone: 'dim' }))
  }
  return lines
}

function isFilled(view: View, field: Field): boolean {
  return own(view.inputs, field.name) !== undefined
}

function fieldText(field: Field, view: View): string {
  const parts: string[] = [field.type]
  if (field.enum !== null) parts.push(`one of ${field.enum.join(', ')}`)
  if (field.format !== null) parts.push(field.format)
  if (field.pattern !== null) parts.push(`like ${field.pattern}`)
  if (!field.isRequired) parts.push('optional')
  const what = field.description === '' ? field.title : field.description
  if (what !== '') parts.push(what)
  const value = own(view.inputs, field.name)
  return value === undefined ? parts.join(', ') : `${valueText(value)}  (${parts.join(', ')})`
}

/** A value on one line, as JSON. */
export function valueText(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > 300 ? `${text.slice(0, 299)}…` : text
}
