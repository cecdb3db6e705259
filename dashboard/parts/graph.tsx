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
  MiniMap,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
} from '@xyflow/react'
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Picture } from '../../src/core/draw/picture.ts'
import type { Trace } from '../data/run-trace.ts'
import { flowEdges, WayEdge } from './graph-edge.tsx'
import {
  type GraphDirection,
  type GraphLayout,
  type GraphRoom,
  layOutGraph,
  zoomMin,
} from './graph-layout.ts'
import { flowNodes, type StageFlowNode, StageNode } from './graph-node.tsx'
import { largeFrom, useForks } from './use-forks.ts'

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

function Flow({ picture: whole, trace, here, chosen = null, onStage }: GraphProps) {
  const hasMoved = useRef(false)
  const { picture, forks, shown } = useForks(whole, { here, chosen }, () => {
    hasMoved.current = false
  })
  const box = useRef<HTMLDivElement>(null)
  const [isFull, setFull] = useFullScreen()
  const room = useRoom(box)
  const placed = useLayout(picture, room)
  const flow = useReactFlow()
  const nodes = useMemo(
    () => (placed === null ? [] : flowNodes(picture, placed, { trace, here, chosen, forks })),
    [picture, placed, trace, here, chosen, forks],
  )
  const edges = useMemo(
    () => (placed === null ? [] : flowEdges(picture, placed, trace)),
    [picture, placed, trace],
  )
  const marked = nodes.filter(({ data }) => data.isHere || data.isChosen)
  const first = nodes.filter(({ data }) => data.node.isInitial)
  const focus = shown ?? (marked.length > 0 ? marked.map(({ id }) => id) : withNext(picture, first))
  const focusKey = focus.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names of the nodes say enough
  useEffect(() => {
    if (placed === null || hasMoved.current) return
    const frame = requestAnimationFrame(
      () => void lookAt(flow, { focus, placed, box: box.current }),
    )
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
          onNodeClick={(_, { data }) => {
            if (data.fork === null) onStage?.(data.node.name)
          }}
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
            direction={placed.direction}
            isFull={isFull}
            hasMap={nodes.length > largeFrom}
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

/** As high or as wide as what it is an overview of. */
const mapSizes = {
  RIGHT: { width: 150, height: 76 },
  DOWN: { width: 76, height: 132 },
} as const

type CornersProps = {
  readonly direction: GraphDirection
  readonly isFull: boolean
  readonly hasMap: boolean
  readonly onFull: () => void
}

/** The buttons, and an overview of a large graph. */
function Corners({ direction, isFull, hasMap, onFull }: CornersProps) {
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
          nodeColor={({ data }: StageFlowNode) => (data.isHere ? 'var(--accent)' : 'var(--faint)')}
          maskColor="color-mix(in srgb, var(--sunken) 70%, transparent)"
          style={mapSizes[direction]}
        />
      ) : null}
    </>
  )
}

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

/** How much of the box a change has to be to lay the graph out anew. */
const roomStep = 40

/** The size of the box, in steps. */
function useRoom(box: React.RefObject<HTMLDivElement | null>): GraphRoom | null {
  const [room, setRoom] = useState<GraphRoom | null>(null)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const look = (): void => {
      const [width, height] = [element.clientWidth, element.clientHeight].map(
        (size) => Math.floor(size / roomStep) * roomStep,
      ) as [number, number]
      if (width === 0) return
      setRoom((was) => (was?.width === width && was.height === height ? was : { width, height }))
    }
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [box])
  return room
}

type Flow = Pick<ReturnType<typeof useReactFlow>, 'fitView' | 'getViewport' | 'setViewport'>
type Look = {
  readonly focus: readonly string[]
  readonly placed: GraphLayout
  readonly box: HTMLElement | null
}

/** All of it, if that can be read; else the place where the run stands, with what is around it. */
async function lookAt(flow: Flow, { focus, placed, box }: Look): Promise<void> {
  await flow.fitView({ padding: 0.06, maxZoom: 1 })
  if (flow.getViewport().zoom >= zoomMin || focus.length === 0) return
  const nodes = focus.map((id) => ({ id }))
  await flow.fitView({ nodes, padding: 0.4, minZoom: zoomMin, maxZoom: 0.9 })
  if (box === null) return
  const { x, y, zoom } = flow.getViewport()
  const { size } = placed
  await flow.setViewport({
    x: withoutGap(x, size.width * zoom, box.clientWidth),
    y: withoutGap(y, size.height * zoom, box.clientHeight),
    zoom,
  })
}

const edgeGap = 16

/** WHY: what is larger than its box does not leave half of it empty. */
function withoutGap(at: number, size: number, room: number): number {
  const last = room - size - edgeGap
  return last >= edgeGap ? (room - size) / 2 : Math.max(last, Math.min(edgeGap, at))
}

type PlacedPicture = {
  readonly of: Picture
  readonly in: GraphRoom
  readonly at: GraphLayout
}

/** Null while it is being placed; a picture that changes keeps its old place until then. */
function useLayout(picture: Picture, room: GraphRoom | null): GraphLayout | null {
  const [placed, setPlaced] = useState<PlacedPicture | null>(null)
  useEffect(() => {
    if (room === null) return
    let isCurrent = true
    layOutGraph(picture, room)
      .then((at) => {
        if (isCurrent) setPlaced({ of: picture, in: room, at })
      })
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [picture, room])
  return placed?.of === picture ? placed.at : null
}
