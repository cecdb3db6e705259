/**
 * The graph of a machine: stages and routes, the current stage, the path the run took, visits, and
 * refusals.
 */
import '@xyflow/react/dist/base.css'
import '../styles/graph.css'
import {
  Background,
  ControlButton,
  Controls,
  type Edge,
  EdgeLabelRenderer,
  type EdgeProps,
  Handle,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Picture, PictureNode } from '../../src/core/draw/picture.ts'
import { stepKey, type Trace } from '../data/run-trace.ts'
import {
  edgeTexts,
  type GraphDirection,
  type GraphLayout,
  type GraphPoint,
  layOutGraph,
} from './graph-layout.ts'

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
  const box = useRef<HTMLDivElement>(null)
  const [isFull, setFull] = useFullScreen()
  const direction = useDirection(box)
  const placed = useLayout(picture, direction)
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
  const first = nodes.filter(({ data }) => data.node.isInitial)
  const focus = marked.length > 0 ? marked.map(({ id }) => id) : withNext(picture, first)
  const focusKey = focus.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names of the nodes say enough
  useEffect(() => {
    if (placed === null || hasMoved.current) return
    const frame = requestAnimationFrame(() => void lookAt({ fitView, getViewport }, focus))
    return () => cancelAnimationFrame(frame)
  }, [placed, focusKey, isFull])
  return (
    <div ref={box} className={`graph-box ${isFull ? 'full' : ''}`}>
      {placed === null ? <div className="skeleton" style={{ height: '100%' }} /> : null}
      {placed === null ? null : (
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
          minZoom={0.2}
          maxZoom={2}
          proOptions={{ hideAttribution: true }}
          aria-label="Graph of the stages"
        >
          <Background gap={22} size={1} color="var(--line)" />
          <Corners
            isFull={isFull}
            hasMap={nodes.length > mapFrom}
            onFull={() => {
              hasMoved.current = false
              setFull(!isFull)
            }}
          />
        </ReactFlow>
      )}
    </div>
  )
}

/** Where a run begins, and where it can go from there. */
function withNext({ edges }: Picture, first: readonly StageFlowNode[]): readonly string[] {
  const ids = first.map(({ id }) => id)
  return [...ids, ...edges.filter(({ from }) => ids.includes(from)).map(({ to }) => to)]
}

type CornersProps = {
  readonly isFull: boolean
  readonly hasMap: boolean
  readonly onFull: () => void
}

/** The buttons, and an overview of a large graph. */
function Corners({ isFull, hasMap, onFull }: CornersProps) {
  const name = isFull ? 'Leave full screen' : 'Full screen'
  return (
    <>
      <Controls
        showInteractive={false}
        fitViewOptions={{ padding: 0.06, minZoom: zoomMin, maxZoom: 1 }}
      >
        <ControlButton onClick={onFull} title={name} aria-label={name}>
          {isFull ? '⤡' : '⤢'}
        </ControlButton>
      </Controls>
      {hasMap ? (
        <MiniMap
          pannable
          zoomable
          ariaLabel="Overview"
          nodeColor={({ data }) =>
            (data as StageData).isHere ? 'var(--accent)' : 'var(--line-strong)'
          }
          maskColor="color-mix(in srgb, var(--sunken) 70%, transparent)"
          style={{ width: 150, height: 76 }}
        />
      ) : null}
    </>
  )
}

/** Stages from which on an overview helps. */
const mapFrom = 14

/** Whether the graph fills the window; Escape ends it. */
function useFullScreen(): readonly [boolean, (isFull: boolean) => void] {
  const [isFull, setFull] = useState(false)
  useEffect(() => {
    if (!isFull) return
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setFull(false)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isFull])
  return [isFull, setFull]
}

/** Left to right in a box that is wider than high. */
function useDirection(box: React.RefObject<HTMLDivElement | null>): GraphDirection {
  const [direction, setDirection] = useState<GraphDirection>('RIGHT')
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const look = (): void => {
      const { clientWidth, clientHeight } = element
      if (clientWidth > 0) setDirection(clientWidth > clientHeight * 1.25 ? 'RIGHT' : 'DOWN')
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return direction
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

type PlacedPicture = {
  readonly of: Picture
  readonly direction: GraphDirection
  readonly at: GraphLayout
}

/** Null while it is being placed; a picture that changes keeps its old place until then. */
function useLayout(picture: Picture, direction: GraphDirection): GraphLayout | null {
  const [placed, setPlaced] = useState<PlacedPicture | null>(null)
  useEffect(() => {
    let isCurrent = true
    layOutGraph(picture, direction)
      .then((at) => {
        if (isCurrent) setPlaced({ of: picture, direction, at })
      })
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [picture, direction])
  return placed?.of === picture && placed.direction === direction ? placed.at : null
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
