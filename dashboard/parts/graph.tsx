/**
 * The graph of a machine: stages and routes, the current stage, the path the run took, visits, and
 * refusals.
 */
import '@xyflow/react/dist/base.css'
import '../styles/graph.css'
import {
  Background,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import { memo, useEffect, useMemo, useRef, useState } from 'react'
import type { Picture, PictureNode } from '../../src/core/draw/picture.ts'
import { stepKey, type Trace } from '../data/run-trace.ts'
import { edgeTexts, type GraphLayout, type GraphPoint, layOutGraph } from './graph-layout.ts'

type GraphProps = {
  readonly picture: Picture
  readonly trace: Trace | null
  /** Stages where runs of the family stand. */
  readonly here: ReadonlySet<string>
  readonly chosen?: string | null
  readonly onStage?: (stage: string) => void
}

/** The graph; fills the box that it is in. Drawn anew only when something of it has changed. */
export const Graph = memo((props: GraphProps) => (
  <ReactFlowProvider>
    <Flow {...props} />
  </ReactFlowProvider>
))

const nodeTypes = { stage: StageNode }
const edgeTypes = { way: WayEdge }

function Flow({ picture, trace, here, chosen, onStage }: GraphProps) {
  const placed = useLayout(picture)
  const { fitView, getViewport } = useReactFlow()
  const nodes = useMemo(
    () =>
      placed === null ? [] : nodesOf(picture, placed, { trace, here, chosen: chosen ?? null }),
    [picture, placed, trace, here, chosen],
  )
  const edges = useMemo(
    () => (placed === null ? [] : edgesOf(picture, placed, trace)),
    [picture, placed, trace],
  )
  const hasMoved = useRef(false)
  const marked = nodes.filter(({ data }) => data.isHere || data.isChosen)
  const shown = marked.length > 0 ? marked : nodes.filter(({ data }) => data.node.isInitial)
  const focus = shown.map(({ id }) => id)
  const focusKey = focus.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names of the nodes say enough
  useEffect(() => {
    if (placed === null || hasMoved.current) return
    const frame = requestAnimationFrame(() => void lookAt({ fitView, getViewport }, focus))
    return () => cancelAnimationFrame(frame)
  }, [placed, focusKey])
  if (placed === null) return <div className="skeleton" style={{ height: '100%' }} />
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      nodesDraggable={false}
      nodesConnectable={false}
      edgesFocusable={false}
      elementsSelectable={onStage !== undefined}
      onNodeClick={(_, node) => onStage?.((node as StageFlowNode).data.node.name)}
      onMoveStart={(event) => {
        if (event !== null) hasMoved.current = true
      }}
      minZoom={0.1}
      maxZoom={2}
      proOptions={{ hideAttribution: true }}
      aria-label="Graph of the stages"
    >
      <Background gap={22} size={1} color="var(--line)" />
      <Controls showInteractive={false} />
    </ReactFlow>
  )
}

type Looking = Pick<ReturnType<typeof useReactFlow>, 'fitView' | 'getViewport'>

const zoomMin = 0.62

/** All of it, if that can be read; else the place where the run stands, with what is around it. */
async function lookAt({ fitView, getViewport }: Looking, focus: readonly string[]): Promise<void> {
  await fitView({ padding: 0.06, maxZoom: 1 })
  if (getViewport().zoom >= zoomMin || focus.length === 0) return
  const nodes = focus.map((id) => ({ id }))
  await fitView({ nodes, padding: 0.4, minZoom: zoomMin, maxZoom: 0.8 })
}

/** Null while it is being placed; a picture that changes keeps its old place until then. */
function useLayout(picture: Picture): GraphLayout | null {
  const [placed, setPlaced] = useState<{ of: Picture; at: GraphLayout } | null>(null)
  useEffect(() => {
    let isCurrent = true
    layOutGraph(picture)
      .then((at) => {
        if (isCurrent) setPlaced({ of: picture, at })
      })
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [picture])
  return placed?.of === picture ? placed.at : null
}

type StageData = {
  readonly node: PictureNode
  readonly visits: number
  readonly denied: number
  readonly isHere: boolean
  readonly isChosen: boolean
}
type StageFlowNode = Node<StageData, 'stage'>

type Marks = Pick<GraphProps, 'trace' | 'here'> & { readonly chosen: string | null }

function nodesOf(picture: Picture, placed: GraphLayout, marks: Marks): StageFlowNode[] {
  const { trace, here, chosen } = marks
  return picture.nodes.flatMap((node) => {
    const box = placed.nodes.get(node.id)
    if (box === undefined) return []
    const { x, y, width, height } = box
    const data: StageData = {
      node,
      visits: trace?.visits.get(node.name) ?? 0,
      denied: trace?.denied.get(node.name) ?? 0,
      isHere: here.has(node.name) && isStage(node),
      isChosen: chosen === node.name && isStage(node),
    }
    return [{ id: node.id, type: 'stage', position: { x, y }, width, height, data } as const]
  })
}

function isStage({ kind }: PictureNode): boolean {
  return kind === 'stage' || kind === 'handler' || kind === 'final' || kind === 'branch_end'
}

function StageNode({ data }: NodeProps<StageFlowNode>) {
  const { node, visits, denied, isHere, isChosen } = data
  const marks = [
    'stage-node',
    node.kind,
    node.outcome ?? '',
    isHere ? 'here' : visits > 0 ? 'seen' : '',
    isChosen ? 'picked' : '',
  ]
  const about = [
    ...(visits > 1 ? [`${visits} times`] : []),
    ...(denied > 0 ? [`${denied} denied`] : []),
  ]
  return (
    <div className={marks.join(' ')} title={node.facts.map((one) => one.text).join('\n')}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <strong>{node.title}</strong>
      {about.length > 0 ? <small>{about.join(' · ')}</small> : null}
      {isHere ? <span className="hidden-text">the run is here</span> : null}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
}

type WayData = {
  readonly points: readonly GraphPoint[]
  readonly label: GraphPoint | null
  readonly texts: readonly string[]
  readonly count: number
  readonly refused: number
  readonly isBad: boolean
  readonly kind: string
}
type WayFlowEdge = Edge<WayData, 'way'>

function edgesOf(picture: Picture, placed: GraphLayout, trace: Trace | null): WayFlowEdge[] {
  const names = new Map(picture.nodes.map((node) => [node.id, node]))
  return picture.edges.map((edge, index) => {
    const at = placed.edges[index]
    const [from, to] = [names.get(edge.from), names.get(edge.to)]
    const isFork = from?.kind === 'fork'
    const key = stepKey(isFork ? '' : (from?.name ?? ''), to?.name ?? '')
    const signals = edge.lines.flatMap((line) => line.signals.split(', '))
    const refused = signals.reduce(
      (sum, name) => sum + (trace?.refusedSignals.get(`${from?.name} / ${name}`) ?? 0),
      0,
    )
    const data: WayData = {
      points: at?.points ?? [],
      label: at?.label ?? null,
      texts: edgeTexts(edge),
      count: trace?.steps.get(key) ?? 0,
      refused,
      isBad: edge.isBad,
      kind: edge.kind,
    }
    return { id: `e${index}`, source: edge.from, target: edge.to, type: 'way', data }
  })
}

function WayEdge({ data }: EdgeProps<WayFlowEdge>) {
  if (data === undefined || data.points.length < 2) return null
  const marks = ['way', data.kind, data.isBad ? 'bad' : '', data.count > 0 ? 'taken' : ''].join(' ')
  const notes = [
    ...(data.count > 1 ? [`×${data.count}`] : []),
    ...(data.refused > 0 ? [`${data.refused} denied or rejected`] : []),
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
