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
import { type GraphDirection, type GraphLayout, layOutGraph } from './graph-layout.ts'
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
  const direction = useDirection(box)
  const placed = useLayout(picture, direction)
  const { fitView, getViewport } = useReactFlow()
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
            direction={direction}
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
          nodeColor={({ data }: StageFlowNode) =>
            data.isHere ? 'var(--accent)' : 'var(--line-strong)'
          }
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
