/**
 * Prints a picture in box-drawing characters for a terminal: boxes from top to bottom, each with
 * its routes by name, and lanes at the right if there is room for them.
 * Knows pictures. Must not know machines or dialects.
 */
import { assertNever } from '../assert.ts'
import type { EndOutcome } from '../machine/machine.ts'
import { type AsciiRow, drawLanes } from './ascii-lanes.ts'
import { gateText, lineText } from './edge-line-text.ts'
import { cellsOf, cutToFit, wrapText } from './label-text.ts'
import type { NodeKind, Picture, PictureEdge, PictureFact, PictureNode } from './picture-types.ts'
import { groupBy, readingOrder } from './reading-order.ts'

const widthMax = 100
const boxTextMax = 54
const boxTextMin = 22
const wayTextMax = 74
const guardsMax = 20

/** The picture as text of at most 100 columns. */
export function printAscii(picture: Picture): string {
  const nodes = readingOrder(picture).filter((node) => node.kind !== 'return')
  const outs = groupBy(picture.edges, (edge) => edge.from)
  const names = new Map(picture.nodes.map((node) => [node.id, nameOf(node)]))
  const width = boxWidth(nodes)
  const rows: AsciiRow[] = []
  for (const [index, node] of nodes.entries()) {
    const edges = outs.get(node.id) ?? []
    const next = nodes[index + 1]
    if (node.isInitial) rows.push(plain('  ●'), plain('  ▼'))
    rows.push(...boxRows(node, width, edges))
    rows.push(...wayRows(edges, next?.id ?? null, names))
  }
  const body = drawLanes(rows, widthMax).join('\n').trimEnd()
  return [...headLines(picture), body, ...footLines(picture), ''].join('\n')
}

function plain(text: string): AsciiRow {
  return { text, leadsTo: null, isTitleOf: null }
}

function headLines(picture: Picture): string[] {
  const notes = picture.notes.map((note, index) => {
    const isRepeated = picture.notes[index - 1]?.key === note.key
    return `${(isRepeated ? '' : note.key).padEnd(7)} ${note.text}`
  })
  return [`${picture.title}  (${picture.about})`, ...notes, ''].map(fitLine)
}

function footLines(picture: Picture): string[] {
  const guards = picture.guards.slice(0, guardsMax)
  if (guards.length === 0) return []
  const left = picture.guards.length - guards.length
  const more = left > 0 ? [`and ${left} more`] : []
  return ['', ...guards.map((guard) => `[${guard.name}]  ${guard.text}`), ...more].map(fitLine)
}

function fitLine(text: string): string {
  return cutToFit(text, { widthMax, measure: cellsOf })
}

const marks: { readonly [outcome in EndOutcome]: string } = {
  completed: '✔',
  blocked: '⊘',
  failed: '✘',
}

function nameOf(node: PictureNode): string {
  if (node.kind === 'return') return `↩ ${node.title}`
  if (node.kind === 'detour') return `when ${node.title} changes, in any stage`
  if (node.kind === 'machine') return `${node.title} (machine)`
  return node.outcome === null ? node.title : `${marks[node.outcome]} ${node.title}`
}

function boxWidth(nodes: readonly PictureNode[]): number {
  const widths = nodes.flatMap((node) => contentOf(node).map(cellsOf))
  return widths.reduce((most, width) => Math.max(most, width), boxTextMin)
}

function contentOf(node: PictureNode): string[] {
  const measure = cellsOf
  const title = cutToFit(nameOf(node), { widthMax: boxTextMax, measure })
  const facts = node.facts.flatMap((fact) => factLines(fact))
  return [title, ...facts]
}

function factLines(fact: PictureFact): string[] {
  const measure = cellsOf
  if (fact.key === 'brief') {
    return wrapText(fact.text, { widthMax: boxTextMax, linesMax: 2, measure })
  }
  const lines = wrapText(fact.text, { widthMax: boxTextMax - 8, linesMax: 2, measure })
  return lines.map((line, index) => `${(index === 0 ? fact.key : '').padEnd(7)} ${line}`)
}

type Frame = { readonly top: string; readonly side: string; readonly bottom: string }

/** Corners and lines: upper left, line, upper right · side · lower left, line, lower right. */
function frameOf(kind: NodeKind): Frame | null {
  switch (kind) {
    case 'stage':
      return { top: '╭─╮', side: '│', bottom: '╰─╯' }
    case 'handler':
    case 'detour':
    case 'return':
      return { top: '╭╌╮', side: '┆', bottom: '╰╌╯' }
    case 'final':
    case 'end':
      return { top: '╔═╗', side: '║', bottom: '╚═╝' }
    case 'branch_end':
      return { top: '┌─┐', side: '│', bottom: '└─┘' }
    case 'machine':
      return { top: '╓─╖', side: '║', bottom: '╙─╜' }
    case 'fork':
    case 'join':
      return null
    default:
      return assertNever(kind)
  }
}

function boxRows(node: PictureNode, width: number, ways: readonly PictureEdge[]): AsciiRow[] {
  const hasWays = ways.length > 0
  const frame = frameOf(node.kind)
  if (frame === null) {
    const bar = `━━${hasWays ? '┯' : '━'}━ ${node.title} `
    const text = bar + '━'.repeat(Math.max(0, width + 4 - cellsOf(bar)))
    return [{ text, leadsTo: null, isTitleOf: node.id }]
  }
  const content = contentOf(node).map((line, index) => ({
    text: `${frame.side} ${line}${' '.repeat(Math.max(0, width - cellsOf(line)))} ${frame.side}`,
    leadsTo: null,
    isTitleOf: index === 0 ? node.id : null,
  }))
  const [topLeft, line, topRight] = [...frame.top] as [string, string, string]
  const [bottomLeft, , bottomRight] = [...frame.bottom] as [string, string, string]
  const stem = hasWays ? (line === '═' ? '╤' : '┬') : line
  const bottom = bottomLeft + line + stem + line.repeat(width) + bottomRight
  return [plain(topLeft + line.repeat(width + 2) + topRight), ...content, plain(bottom)]
}

/** The ways out of a box: those that lead away by name, then the one to the box below. */
function wayRows(
  edges: readonly PictureEdge[],
  nextId: string | null,
  names: ReadonlyMap<string, string>,
): AsciiRow[] {
  const down = edges.filter((edge) => edge.to === nextId)
  const away = edges.filter((edge) => edge.to !== nextId)
  const rows: AsciiRow[] = []
  for (const [index, edge] of away.entries()) {
    const isLast = index === away.length - 1 && down.length === 0
    rows.push(...awayRows(edge, names, isLast ? 'last' : 'more'))
  }
  for (const edge of down) {
    for (const line of edge.lines) {
      const text = lineText(line)
      if (text !== '') rows.push(plain(`  │ ${fitWay(text)}`))
      if (line.gate !== null) rows.push(...gateRows(line.gate, '  │   '))
    }
  }
  if (down.length === 0) return [...rows, plain('')]
  if (rows.length === away.length || rows.length === 0) rows.push(plain('  │'))
  return [...rows, plain(down.some(isDashed) ? '  ▽' : '  ▼')]
}

function isDashed(edge: PictureEdge): boolean {
  return edge.kind === 'detour' || edge.kind === 'fallback'
}

function awayRows(
  edge: PictureEdge,
  names: ReadonlyMap<string, string>,
  place: 'more' | 'last',
): AsciiRow[] {
  const isLast = place === 'last'
  const target = edge.from === edge.to ? '↻ itself' : (names.get(edge.to) ?? '')
  const lines = edge.lines.length === 0 ? [''] : edge.lines.map(lineText)
  const gates = edge.lines.flatMap((line) => (line.gate === null ? [] : [line.gate]))
  const stroke = edge.kind === 'return' ? '╌' : '─'
  const label = lines.filter((text) => text !== '').join(' or ')
  const way = label === '' ? `${stroke}▶ ${target}` : `${stroke} ${label} ${stroke}▶ ${target}`
  const leadsTo = edge.from === edge.to ? null : edge.to
  const first = { text: `  ${isLast ? '└' : '├'}${fitWay(way)}`, leadsTo, isTitleOf: null }
  const side = isLast ? ' ' : '│'
  return [first, ...gates.flatMap((gate) => gateRows(gate, `  ${side}    `))]
}

function gateRows(gate: string, indent: string): AsciiRow[] {
  const room = { widthMax: boxTextMax - 4, linesMax: 3, measure: cellsOf }
  return wrapText(gateText(gate), room).map((line) => plain(indent + line))
}

function fitWay(text: string): string {
  return cutToFit(text, { widthMax: wayTextMax, measure: cellsOf })
}
