/**
 * The size of each node and label of a picture, and its lines of text.
 * Knows pictures and fonts. Must not know where anything is placed.
 */
import { assertNever } from '../core/assert.ts'
import { cutToFit, wrapText } from '../core/draw/label-text.ts'
import {
  type EdgeLine,
  lineText,
  type PictureEdge,
  type PictureFact,
  type PictureNode,
} from '../core/draw/picture.ts'
import { type Font, widthOf } from './draw-svg-font.ts'

/** One piece of text at its place inside a box; `y` is the baseline. */
type BoxText = {
  readonly x: number
  readonly y: number
  readonly text: string
  readonly font: Font
  readonly look: TextLook
}

type TextLook = 'title' | 'brief' | 'key' | 'value' | 'signal' | 'condition' | 'gate'

export type SvgBox = {
  readonly width: number
  readonly height: number
  readonly texts: readonly BoxText[]
  /** Where lock badges stand, from the upper left corner. */
  readonly locks: readonly { readonly x: number; readonly y: number }[]
}

export const fonts = {
  heading: { sizePx: 20, weight: 'bold' },
  title: { sizePx: 14, weight: 'bold' },
  text: { sizePx: 12, weight: 'regular' },
  strong: { sizePx: 12, weight: 'bold' },
  small: { sizePx: 11, weight: 'regular' },
} as const satisfies { readonly [name: string]: Font }

const cardWidthMin = 132
const cardTextWidthMax = 250
const padX = 14
const padY = 12
const iconRoom = 22
const keyGap = 8
const barHeight = 8
const branchWidth = 96
const labelPadX = 6
const labelPadY = 3
const lockRoom = 17
const gateWidthMax = 190

/** The box of a node; a bar grows with the number of edges at it. */
export function boxOfNode(node: PictureNode, edgesCount: number): SvgBox {
  switch (node.kind) {
    case 'stage':
    case 'handler':
    case 'machine':
    case 'branch_end':
    case 'final':
      return cardBox(node)
    case 'end':
    case 'return':
      return pillBox([node.title], fonts.strong)
    case 'detour':
      return pillBox([`when ${node.title} changes`, 'in any stage'], fonts.text)
    case 'fork':
    case 'join':
      return {
        width: branchWidth * Math.max(2, edgesCount),
        height: barHeight,
        texts: [],
        locks: [],
      }
    default:
      return assertNever(node.kind)
  }
}

function cardBox(node: PictureNode): SvgBox {
  const hasIcon = node.outcome !== null
  const left = padX + (hasIcon ? iconRoom : 0)
  const titles = wrapText(node.title, rule(cardTextWidthMax, 2, fonts.title))
  const texts: BoxText[] = []
  let y = padY
  for (const text of titles) {
    texts.push({ x: left, y: y + 12, text, font: fonts.title, look: 'title' })
    y += 18
  }
  y += addFacts(texts, { facts: node.facts, x: left, y })
  const right = Math.max(...texts.map((text) => text.x + widthOf(text.text, text.font)))
  const width = Math.max(cardWidthMin, Math.ceil(right + padX))
  return { width, height: y + padY - 2, texts, locks: [] }
}

type FactsAt = { readonly facts: readonly PictureFact[]; readonly x: number; readonly y: number }

/** Adds the brief, then the other facts in two columns; answers the height they took. */
function addFacts(texts: BoxText[], at: FactsAt): number {
  let y = at.y
  for (const fact of at.facts.filter((each) => each.key === 'brief')) {
    for (const text of wrapText(fact.text, rule(cardTextWidthMax, 3, fonts.text))) {
      texts.push({ x: at.x, y: y + 12, text, font: fonts.text, look: 'brief' })
      y += 15
    }
  }
  const others = at.facts.filter((each) => each.key !== 'brief')
  if (others.length > 0 && y > at.y) y += 4
  const keyWidth = Math.max(0, ...others.map((fact) => widthOf(fact.key, fonts.small)))
  for (const fact of others) {
    texts.push({ x: at.x, y: y + 12, text: fact.key, font: fonts.small, look: 'key' })
    const valueX = at.x + keyWidth + keyGap
    const room = rule(cardTextWidthMax - keyWidth - keyGap, 2, fonts.text)
    for (const text of wrapText(fact.text, room)) {
      texts.push({ x: valueX, y: y + 12, text, font: fonts.text, look: 'value' })
      y += 16
    }
  }
  return y - at.y
}

function pillBox(lines: readonly string[], font: Font): SvgBox {
  const texts: BoxText[] = lines.map((text, index) => ({
    x: padX + iconRoom,
    y: 20 + index * 15,
    text: cutToFit(text, rule(cardTextWidthMax, 1, font)),
    font: index === 0 ? font : fonts.small,
    look: index === 0 ? 'title' : 'key',
  }))
  const right = Math.max(...texts.map((text) => text.x + widthOf(text.text, text.font)))
  return { width: Math.ceil(right + padX + 2), height: 17 + lines.length * 15, texts, locks: [] }
}

/** The box of an edge's label, or null when the edge says nothing. */
export function boxOfLabel(edge: PictureEdge): SvgBox | null {
  if (edge.lines.length === 0) return null
  const texts: BoxText[] = []
  const locks: { x: number; y: number }[] = []
  let y = labelPadY
  for (const line of edge.lines) {
    const left = labelPadX + (line.gate === null ? 0 : lockRoom)
    if (line.gate !== null) locks.push({ x: labelPadX, y: y + 1 })
    addLine(texts, line, { x: left, y: y + 12 })
    const hasText = lineText(line) !== ''
    if (hasText) y += 16
    if (line.gate === null) continue
    for (const text of wrapText(line.gate, rule(gateWidthMax, 2, fonts.small))) {
      texts.push({ x: left, y: y + 11, text, font: fonts.small, look: 'gate' })
      y += 14
    }
    y += 2
  }
  const right = Math.max(...texts.map((text) => text.x + widthOf(text.text, text.font)))
  return { width: Math.ceil(right + labelPadX), height: y + labelPadY, texts, locks }
}

function addLine(
  texts: BoxText[],
  line: EdgeLine,
  at: { readonly x: number; readonly y: number },
): void {
  const { x, y } = at
  if (line.signals === '') {
    const text = lineText(line)
    if (text !== '') texts.push({ x, y, text, font: fonts.text, look: 'condition' })
    return
  }
  texts.push({ x, y, text: line.signals, font: fonts.strong, look: 'signal' })
  if (line.condition === '') return
  const after = x + widthOf(`${line.signals} `, fonts.strong)
  texts.push({ x: after, y, text: line.condition, font: fonts.text, look: 'condition' })
}

function rule(widthMax: number, linesMax: number, font: Font) {
  return { widthMax, linesMax, measure: (text: string) => widthOf(text, font) }
}
