/** The nodes of a graph: stages with what happened in them, and forks that open and close. */
import { Handle, type Node, type NodeProps, Position } from '@xyflow/react'
import type { Picture, PictureNode } from '../../src/core/draw/picture.ts'
import type { Trace } from '../data/run-trace.ts'
import type { GraphLayout } from './graph-layout.ts'

type StageData = {
  readonly node: PictureNode
  readonly visits: number
  readonly denied: number
  readonly isHere: boolean
  readonly isChosen: boolean
  /** Null: it is not a fork that can be closed. */
  readonly fork: GraphFork | null
}
export type StageFlowNode = Node<StageData, 'stage'>

/** A fork whose branches can be drawn as one node. */
export type GraphFork = {
  readonly isOpen: boolean
  /** The names of the stages in it. */
  readonly stages: readonly string[]
  readonly onToggle: () => void
}

type Marks = {
  readonly trace: Trace | null
  readonly here: ReadonlySet<string>
  readonly chosen: string | null
  readonly forks: ReadonlyMap<string, GraphFork>
}

/** The nodes where they were placed. */
export function flowNodes(picture: Picture, placed: GraphLayout, marks: Marks): StageFlowNode[] {
  return picture.nodes.flatMap((node) => {
    const box = placed.nodes.get(node.id)
    if (box === undefined) return []
    const { x, y, width, height } = box
    const data = dataOf(node, marks)
    return [{ id: node.id, type: 'stage', position: { x, y }, width, height, data } as const]
  })
}

function dataOf(node: PictureNode, { trace, here, chosen, forks }: Marks): StageData {
  const fork = forks.get(node.id) ?? null
  const names = fork !== null && !fork.isOpen ? fork.stages : isStage(node) ? [node.name] : []
  const sum = (counts: ReadonlyMap<string, number> | undefined): number =>
    names.reduce((all, name) => all + (counts?.get(name) ?? 0), 0)
  return {
    node,
    visits: sum(trace?.visits),
    denied: sum(trace?.denied),
    isHere: names.some((name) => here.has(name)),
    isChosen: names.some((name) => name === chosen),
    fork,
  }
}

function isStage({ kind }: PictureNode): boolean {
  return kind === 'stage' || kind === 'handler' || kind === 'final' || kind === 'branch_end'
}

/** One node. */
export function StageNode({ data }: NodeProps<StageFlowNode>) {
  const { node, visits, denied, isHere, isChosen, fork } = data
  const marks = [
    'stage-node',
    node.kind,
    node.outcome ?? '',
    isHere ? 'here' : visits > 0 ? 'seen' : '',
    isChosen ? 'picked' : '',
  ]
  const about = [
    ...(visits > 1 && fork === null ? [`${visits} times`] : []),
    ...(denied > 0 ? [`${denied} denied`] : []),
  ]
  return (
    <div className={marks.join(' ')} title={node.facts.map((one) => one.text).join('\n')}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {fork === null ? <strong>{node.title}</strong> : <ForkButton node={node} fork={fork} />}
      {about.length > 0 ? <small>{about.join(' · ')}</small> : null}
      {isHere ? <span className="hidden-text">the run is here</span> : null}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  )
}

function ForkButton({ node, fork }: { readonly node: PictureNode; readonly fork: GraphFork }) {
  return (
    <button
      type="button"
      className="fork-toggle nopan"
      aria-expanded={fork.isOpen}
      title={fork.isOpen ? 'Draw the branches as one' : 'Show the branches'}
      onClick={fork.onToggle}
    >
      {fork.isOpen ? '▾' : '▸'} {node.title}
    </button>
  )
}
