/** The edges of a graph: orthogonal lines with rounded corners, a tip, and a label on the line. */
import { type Edge, EdgeLabelRenderer, type EdgeProps } from '@xyflow/react'
import type { Picture, PictureEdge, PictureNode } from '../../src/core/draw/picture.ts'
import { failStep, forkStep, joinStep, stepKey, type Trace } from '../data/run-trace.ts'
import { edgeTexts, type GraphLayout, type GraphPoint } from './graph-layout.ts'

type WayData = {
  readonly points: readonly GraphPoint[]
  readonly label: GraphPoint | null
  readonly texts: readonly string[]
  readonly count: number
  readonly refused: number
  readonly isBad: boolean
  readonly kind: string
}
export type WayFlowEdge = Edge<WayData, 'way'>

/** The edges where they were placed. */
export function flowEdges(
  picture: Picture,
  placed: GraphLayout,
  trace: Trace | null,
): WayFlowEdge[] {
  const names = new Map(picture.nodes.map((node) => [node.id, node]))
  return picture.edges.map((edge, index) => {
    const at = placed.edges[index]
    const [from, to] = [names.get(edge.from), names.get(edge.to)]
    const signals = edge.lines.flatMap((line) => line.signals.split(', '))
    const refused = signals.reduce(
      (sum, name) => sum + (trace?.refusedSignals.get(`${from?.name} / ${name}`) ?? 0),
      0,
    )
    const data: WayData = {
      points: at?.points ?? [],
      label: at?.label ?? null,
      texts: edgeTexts(edge),
      count: trace === null ? 0 : timesTaken({ edge, from, to }, trace),
      refused,
      isBad: edge.isBad,
      kind: edge.kind,
    }
    return { id: `e${index}`, source: edge.from, target: edge.to, type: 'way', data }
  })
}

type DrawnEdge = {
  readonly edge: PictureEdge
  readonly from: PictureNode | undefined
  readonly to: PictureNode | undefined
}

/** How often the run went this way; forks and joins are no stages of their own. */
function timesTaken({ edge, from, to }: DrawnEdge, { steps, visits }: Trace): number {
  const [before, after] = [from?.name ?? '', to?.name ?? '']
  if (to?.kind === 'join') return visits.get(before) ?? 0
  if (to?.kind === 'fork') return steps.get(stepKey(before, forkStep)) ?? 0
  if (edge.kind === 'fork') return steps.get(stepKey('', after)) ?? 0
  if (from?.kind !== 'join' && from?.kind !== 'fork') return steps.get(stepKey(before, after)) ?? 0
  return steps.get(stepKey(edge.kind === 'fail' ? failStep : joinStep, after)) ?? 0
}

/** One edge. */
export function WayEdge({ data }: EdgeProps<WayFlowEdge>) {
  if (data === undefined || data.points.length < 2) return null
  const marks = ['way', data.kind, data.isBad ? 'bad' : '', data.count > 0 ? 'taken' : ''].join(' ')
  const notes = [
    ...(data.count > 1 ? [`×${data.count}`] : []),
    ...(data.refused > 0 ? [`${data.refused} rejected`] : []),
  ]
  const at = data.label ?? middleOf(data.points)
  return (
    <>
      <path className={marks} d={pathOf(data.points)} />
      <path className={`${marks} tip`} d={tipOf(data.points)} />
      {data.texts.length + notes.length === 0 ? null : (
        <EdgeLabelRenderer>
          <div className={`way-label ${marks}`} style={{ left: at.x, top: at.y }}>
            {data.texts.map((text) => (
              <span key={text}>{text}</span>
            ))}
            {notes.length === 0 ? null : <em>{notes.join(' · ')}</em>}
          </div>
        </EdgeLabelRenderer>
      )}
    </>
  )
}

function middleOf(points: readonly GraphPoint[]): GraphPoint {
  return points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 }
}

const round = 8

/** A line along the points, with rounded corners. */
function pathOf(points: readonly GraphPoint[]): string {
  return points
    .map((point, index) => {
      const [before, after] = [points[index - 1], points[index + 1]]
      if (before === undefined) return `M${point.x} ${point.y}`
      if (after === undefined) return `L${point.x} ${point.y}`
      const a = towards(point, before)
      const b = towards(point, after)
      return `L${a.x} ${a.y}Q${point.x} ${point.y} ${b.x} ${b.y}`
    })
    .join('')
}

function towards(from: GraphPoint, to: GraphPoint): GraphPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const share = length === 0 ? 0 : Math.min(round, length / 2) / length
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}

function tipOf(points: readonly GraphPoint[]): string {
  const [before, end] = [points.at(-2), points.at(-1)]
  if (before === undefined || end === undefined) return ''
  const angle = Math.atan2(end.y - before.y, end.x - before.x)
  const corner = (turn: number): string => {
    const [x, y] = [end.x - 8 * Math.cos(angle + turn), end.y - 8 * Math.sin(angle + turn)]
    return `${x} ${y}`
  }
  return `M${corner(0.45)}L${end.x} ${end.y}L${corner(-0.45)}`
}
