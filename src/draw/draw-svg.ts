/**
 * Prints a picture as one SVG file that needs nothing else: no script, no font, no network.
 * Knows pictures and their layout. Must not know machines or dialects.
 */
import { assertNever } from '../core/assert.ts'
import type { Picture, PictureEdge, PictureNode } from '../core/draw/picture.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { fonts } from './draw-svg-boxes.ts'
import { footBlock, headBlock, type SvgBlock } from './draw-svg-frame.ts'
import {
  type Direction,
  type Layout,
  layOutSvg,
  type PlacedBox,
  type PlacedEdge,
  startSize,
} from './draw-svg-layout.ts'
import {
  type EdgeLook,
  escapeXml,
  type IconName,
  px,
  svgArrow,
  svgIcon,
  svgRect,
  svgText,
} from './draw-svg-shapes.ts'
import { styleSheet } from './draw-svg-style.ts'

type SvgOptions = {
  readonly direction?: Direction
  /** `both` follows the reader's system; `light` is always light. */
  readonly themes?: 'light' | 'both'
}

/** Beyond these the layout takes longer than anybody waits, and nobody could read the result. */
export const svgNodesMax = 300
export const svgEdgesMax = 700

const margin = 28
const gap = 24

/** The picture as SVG text; too large a picture is a fault that says what to use instead. */
export async function printSvg(picture: Picture, options: SvgOptions = {}): Promise<string> {
  refuseLarge(picture)
  const layout = await layOutSvg(picture, options.direction ?? 'down')
  const head = headBlock(picture)
  const inner = Math.max(layout.width, head.width, 420)
  const foot = footBlock(picture, inner)
  const width = Math.ceil(Math.max(inner, foot.width) + margin * 2)
  const graphTop = margin + head.height + gap
  const footTop = graphTop + layout.height + gap
  const height = Math.ceil(footTop + foot.height + margin)
  const graphLeft = margin + (width - margin * 2 - layout.width) / 2
  const label = escapeXml(`${picture.title}: ${picture.about}`)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="pawl-picture" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">`,
    `<title>${label}</title>`,
    `<style>${styleSheet(options.themes ?? 'both')}</style>`,
    svgRect({ x: 0, y: 0, width, height, radius: 0, look: 'page' }),
    moved(margin, margin, head),
    `<g transform="translate(${px(graphLeft)} ${px(graphTop)})">`,
    ...drawGraph(picture, layout),
    '</g>',
    moved(margin, footTop, foot),
    '</svg>',
    '',
  ].join('\n')
}

function refuseLarge(picture: Picture): void {
  const nodes = picture.nodes.length
  const edges = picture.edges.length
  if (nodes <= svgNodesMax && edges <= svgEdgesMax) return
  throw new PawlError(
    'USAGE',
    `\`${picture.title}\` is too large for an SVG: ${nodes} boxes and ${edges} arrows, ` +
      `where at most ${svgNodesMax} and ${svgEdgesMax} can be drawn`,
    { hint: 'draw it as `dot` or `mermaid` instead' },
  )
}

function moved(x: number, y: number, block: SvgBlock): string {
  return `<g transform="translate(${px(x)} ${px(y)})">${block.parts.join('')}</g>`
}

/** Lines first, then labels, then boxes, so that no line covers a word. */
function drawGraph(picture: Picture, layout: Layout): string[] {
  const parts: string[] = []
  for (const [index, placed] of layout.edges.entries()) {
    const edge = picture.edges[index]
    const isDashed = edge ? isDashedKind(edge) : false
    parts.push(svgArrow({ points: placed.points, look: readCommandOf(edge), isDashed }))
  }
  for (const [index, placed] of layout.edges.entries()) {
    const edge = picture.edges[index]
    if (edge) parts.push(drawLabel(edge, placed))
  }
  if (layout.start) {
    const radius = startSize / 2
    const { x, y } = layout.start
    parts.push(
      `<circle class="bar" cx="${px(x + radius)}" cy="${px(y + radius)}" r="${radius - 1}"/>`,
    )
  }
  for (const node of picture.nodes) {
    const placed = layout.nodes.get(node.id)
    if (placed) parts.push(`<g><title>${escapeXml(node.name)}</title>${drawNode(node, placed)}</g>`)
  }
  return parts
}

function readCommandOf(edge: PictureEdge | undefined): EdgeLook {
  if (edge?.kind === 'detour' || edge?.kind === 'return') return 'edge-detour'
  return edge?.isBad ? 'edge-bad' : 'edge'
}

function isDashedKind(edge: PictureEdge): boolean {
  return edge.kind === 'detour' || edge.kind === 'return' || edge.kind === 'fallback'
}

function drawLabel(edge: PictureEdge, placed: PlacedEdge): string {
  if (!placed.label) return ''
  const { x, y, box } = placed.label
  const hasGate = box.locks.length > 0
  const look = hasGate ? 'chip-gate' : 'chip'
  const rect = svgRect({ x, y, width: box.width, height: box.height, radius: 5, look })
  // WHY: the label of a loop stands beside its line; a chip would cover part of it.
  const parts = edge.from === edge.to && !hasGate ? [] : [rect]
  for (const lock of box.locks) parts.push(svgIcon('lock', { x: x + lock.x, y: y + lock.y }))
  for (const text of box.texts) {
    const isPlain = text.look === 'signal'
    const colour = isPlain ? readCommandOf(edge).replace(/^edge-?/u, '') : ''
    parts.push(svgText({ ...text, x: x + text.x, y: y + text.y, look: colour || text.look }))
  }
  return parts.join('')
}

function drawNode(node: PictureNode, placed: PlacedBox): string {
  const texts = placed.box.texts.map((text) =>
    svgText({ ...text, x: placed.x + text.x, y: placed.y + text.y }),
  )
  return [...frameOf(node, placed), ...texts].join('')
}

function frameOf(node: PictureNode, placed: PlacedBox): string[] {
  const { x, y, box } = placed
  const rect = { x, y, width: box.width, height: box.height, radius: 9, look: 'card' }
  const outer = node.outcome === 'completed' ? 'ok' : 'bad'
  switch (node.kind) {
    case 'stage':
      return [svgRect(rect)]
    case 'handler':
      return [svgRect({ ...rect, look: 'handler dash' })]
    case 'machine':
      return [svgRect({ ...rect, radius: 2, look: 'machine' }), ...machineBars(placed)]
    case 'branch_end':
    case 'final':
    case 'end': {
      const radius = node.kind === 'end' ? box.height / 2 : rect.radius
      const parts = [svgRect({ ...rect, radius, look: outer })]
      if (node.kind !== 'branch_end') parts.push(innerBorder({ ...rect, radius, look: outer }))
      return node.outcome ? [...parts, iconIn(placed, node.outcome)] : parts
    }
    case 'detour':
      return [svgRect({ ...rect, radius: 14, look: 'handler dash' }), iconIn(placed, 'pencil')]
    case 'return':
      return [svgRect({ ...rect, radius: 14, look: 'handler dash' }), iconIn(placed, 'return')]
    case 'fork':
    case 'join':
      return [svgRect({ ...rect, radius: 3, look: 'bar' })]
    default:
      return assertNever(node.kind)
  }
}

function innerBorder(rect: Parameters<typeof svgRect>[0]): string {
  const inset = 3.5
  return svgRect({
    x: rect.x + inset,
    y: rect.y + inset,
    width: rect.width - inset * 2,
    height: rect.height - inset * 2,
    radius: Math.max(0, rect.radius - inset),
    look: `${rect.look} inner`,
  })
}

function machineBars(placed: PlacedBox): string[] {
  const { x, y, box } = placed
  return [x + 5, x + box.width - 5].map(
    (at) => `<path class="machine" d="M${px(at)} ${px(y)}V${px(y + box.height)}"/>`,
  )
}

function iconIn(placed: PlacedBox, name: IconName): string {
  const [first] = placed.box.texts
  const y = placed.y + (first?.y ?? fonts.title.sizePx) - 11.5
  return svgIcon(name, { x: placed.x + 13, y })
}
