/**
 * The frame of an SVG picture: the title above, the legend and notes below.
 * Knows pictures. Must not know where its nodes are placed.
 */

import { cutToFit } from '../core/draw/label-text.ts'
import type { Picture } from '../core/draw/picture.ts'
import { fonts } from './draw-svg-boxes.ts'
import { widthOf } from './draw-svg-font.ts'
import { svgArrow, svgIcon, svgRect, svgText } from './draw-svg-shapes.ts'

/** Finished pieces whose upper left corner is at 0, 0. */
export type SvgBlock = {
  readonly parts: readonly string[]
  readonly width: number
  readonly height: number
}

const lineHeight = 19
const guardsMax = 12
const signWidth = 34
const noteWidthMax = 560

/** The title, the size, and what holds in every stage. */
export function headBlock(picture: Picture): SvgBlock {
  const parts = [
    svgText({ x: 0, y: 18, text: picture.title, font: fonts.heading, look: 'heading' }),
    svgText({ x: 0, y: 38, text: picture.about, font: fonts.text, look: 'key' }),
  ]
  const widths = [widthOf(picture.title, fonts.heading), widthOf(picture.about, fonts.text)]
  let y = 40
  for (const [index, note] of picture.notes.entries()) {
    y += index === 0 ? lineHeight + 2 : lineHeight - 2
    const isRepeated = picture.notes[index - 1]?.key === note.key
    const key = isRepeated ? '' : note.key
    if (key !== '') parts.push(svgText({ x: 0, y, text: key, font: fonts.small, look: 'key' }))
    const measure = (text: string): number => widthOf(text, fonts.text)
    const text = cutToFit(note.text, { widthMax: noteWidthMax, measure })
    parts.push(svgText({ x: 44, y, text, font: fonts.text, look: 'value' }))
    widths.push(44 + measure(text))
  }
  return { parts, width: Math.max(...widths), height: y }
}

/** What the named guards compare, and a legend of what occurs in this picture. */
export function footBlock(picture: Picture, width: number): SvgBlock {
  const parts: string[] = []
  let y = 0
  const guards = guardBlock(picture, width)
  parts.push(...guards.parts)
  y += guards.height
  const legend = legendBlock(picture, { width, top: y })
  return {
    parts: [...parts, ...legend.parts],
    width: Math.max(guards.width, legend.width),
    height: y + legend.height,
  }
}

function guardBlock(picture: Picture, width: number): SvgBlock {
  const parts: string[] = []
  let y = 0
  for (const guard of picture.guards.slice(0, guardsMax)) {
    y += lineHeight - 2
    const name = `[${guard.name}]`
    const nameWidth = widthOf(`${name}  `, fonts.text)
    parts.push(svgText({ x: 0, y, text: name, font: fonts.text, look: 'condition' }))
    const measure = (text: string): number => widthOf(text, fonts.text)
    const text = cutToFit(guard.text, { widthMax: Math.max(200, width - nameWidth), measure })
    parts.push(svgText({ x: nameWidth, y, text, font: fonts.text, look: 'key' }))
  }
  const left = picture.guards.length - guardsMax
  if (left > 0) {
    y += lineHeight - 2
    parts.push(svgText({ x: 0, y, text: `and ${left} more`, font: fonts.text, look: 'key' }))
  }
  return { parts, width: 0, height: y === 0 ? 0 : y + 12 }
}

type Sign = { readonly text: string; readonly draw: (x: number, y: number) => string }

function legendBlock(picture: Picture, at: { width: number; top: number }): SvgBlock {
  const signs = signsOf(picture)
  const parts: string[] = []
  let x = 0
  let y = at.top + 14
  let right = 0
  for (const sign of signs) {
    const room = signWidth + widthOf(sign.text, fonts.small) + 22
    if (x > 0 && x + room - 22 > at.width) {
      x = 0
      y += lineHeight
    }
    parts.push(sign.draw(x, y))
    const textAt = { x: x + signWidth, y: y + 4, font: fonts.small, look: 'key' }
    parts.push(svgText({ ...textAt, text: sign.text }))
    x += room
    right = Math.max(right, x - 22)
  }
  if (signs.length === 0) return { parts, width: 0, height: 0 }
  const rule = `<path class="rule" d="M0 ${at.top - 4}H${Math.round(at.width)}"/>`
  return { parts: [rule, ...parts], width: right, height: y - at.top + 8 }
}

/** Only what occurs, in the order in which a reader meets it. */
function signsOf(picture: Picture): Sign[] {
  const kinds = new Set<string>(picture.nodes.map((node) => node.kind))
  const outcomes = new Set(
    picture.nodes.filter((node) => node.kind !== 'branch_end').map((node) => node.outcome),
  )
  const edgeKinds = new Set<string>(picture.edges.map((edge) => edge.kind))
  const hasGate = picture.edges.some((edge) => edge.lines.some((line) => line.gate !== null))
  const signs: Sign[] = [
    { text: 'start', draw: (x, y) => `<circle class="bar" cx="${x + 22}" cy="${y}" r="6"/>` },
  ]
  if (hasGate) signs.push({ text: 'needs approval', draw: icon('lock') })
  if (edgeKinds.has('fallback')) signs.push({ text: 'any other signal', draw: arrow('edge') })
  if (kinds.has('fork')) signs.push({ text: 'branches start or join', draw: bar })
  if (kinds.has('machine')) signs.push({ text: 'another machine', draw: swatch('machine') })
  if (kinds.has('detour')) {
    signs.push({ text: 'detour after a file change', draw: arrow('edge-detour') })
  }
  for (const outcome of ['completed', 'blocked', 'failed'] as const) {
    if (outcomes.has(outcome)) signs.push({ text: `ends ${outcome}`, draw: icon(outcome) })
  }
  if (kinds.has('branch_end')) signs.push({ text: 'ends a branch', draw: swatch('ok') })
  return signs
}

function icon(name: Parameters<typeof svgIcon>[0]): Sign['draw'] {
  return (x, y) => svgIcon(name, { x: x + 15, y: y - 7 })
}

function arrow(look: 'edge' | 'edge-detour'): Sign['draw'] {
  return (x, y) => {
    const points = [
      { x, y },
      { x: x + 28, y },
    ]
    return svgArrow({ points, look, isDashed: true })
  }
}

function bar(x: number, y: number): string {
  return svgRect({ x: x + 2, y: y - 3, width: 26, height: 6, radius: 3, look: 'bar' })
}

function swatch(look: string): Sign['draw'] {
  return (x, y) => svgRect({ x: x + 10, y: y - 6, width: 18, height: 12, radius: 3, look })
}
