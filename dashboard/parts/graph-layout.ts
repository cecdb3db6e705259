/** Computes the positions of nodes and edges in a worker, so that the page stays responsive. */
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk-api.js'
import ELK from 'elkjs/lib/elk-api.js'
import workerUrl from 'elkjs/lib/elk-worker.min.js?url'
import type { Picture, PictureEdge, PictureNode } from '../../src/core/draw/picture.ts'

export type GraphPoint = { readonly x: number; readonly y: number }
/** Where the stages lead to: left to right where there is room, else downwards. */
export type GraphDirection = 'RIGHT' | 'DOWN'
export type NodeBox = GraphPoint & { readonly width: number; readonly height: number }

/** What the graph has to fit into, in pixels. */
export type GraphRoom = { readonly width: number; readonly height: number }

export type GraphLayout = {
  readonly direction: GraphDirection
  readonly size: GraphRoom
  readonly nodes: ReadonlyMap<string, NodeBox>
  /** In the order of the picture's edges. */
  readonly edges: readonly {
    readonly points: readonly GraphPoint[]
    readonly label: GraphPoint | null
  }[]
}

type TrustedPolicy = { readonly createScriptURL: (url: string) => string }
type TrustedMaker = {
  readonly createPolicy: (name: string, rules: TrustedPolicy) => TrustedPolicy
}

/** The one text of this page that may become code: the address of our own worker. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedMaker }
  if (trustedTypes === undefined) return url
  const createScriptURL = (wanted: string): string => {
    if (wanted !== url) throw new Error('no other code is loaded here')
    return wanted
  }
  return trustedTypes.createPolicy('pawl', { createScriptURL }).createScriptURL(url)
}

let engine: InstanceType<typeof ELK> | null = null

function openEngine(): InstanceType<typeof ELK> {
  engine ??= new ELK({ workerFactory: () => new Worker(trusted(workerUrl)) })
  return engine
}

const options = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.randomSeed': '1',
  'elk.spacing.nodeNode': '34',
  'elk.spacing.edgeNode': '18',
  'elk.spacing.edgeEdge': '12',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.layered.spacing.edgeNodeBetweenLayers': '16',
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
  'elk.spacing.nodeSelfLoop': '20',
  'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'TAIL_LAYER',
} as const

/** Stages from which on a graph to the right is laid out in rows. */
const rowsFrom = 14

/**
 * How wide the rows are together, for one of their height.
 * WHY several: ELK loses an edge now and then where it breaks a row.
 */
const rowShapes = ['1.7', '2.6', '4'] as const

/** Below this nothing can be read. */
export const zoomMin = 0.8

/** Left to right in a box that is wider than high, unless only the other way all can be read. */
export async function layOutGraph(picture: Picture, room: GraphRoom): Promise<GraphLayout> {
  const right = await layOutTo(picture, 'RIGHT')
  const isWide = room.width > room.height * 1.25
  if (isWide && fits(right, room)) return right
  const down = await layOutTo(picture, 'DOWN')
  return isWide && !fits(down, room) ? right : down
}

function fits({ size }: GraphLayout, room: GraphRoom): boolean {
  return size.width * zoomMin <= room.width && size.height * zoomMin <= room.height
}

async function layOutTo(picture: Picture, direction: GraphDirection): Promise<GraphLayout> {
  const hasRows = direction === 'RIGHT' && picture.nodes.length >= rowsFrom
  for (const shape of hasRows ? rowShapes : []) {
    const rows = {
      'elk.layered.wrapping.strategy': 'MULTI_EDGE',
      'elk.layered.wrapping.cutting.strategy': 'ARD',
      'elk.aspectRatio': shape,
    }
    const layout = await layOutOnce(picture, direction, rows)
    if (isWhole(picture, layout)) return layout
  }
  return layOutOnce(picture, direction)
}

/** Whether each edge leads to its node. */
function isWhole({ edges }: Picture, layout: GraphLayout): boolean {
  return edges.every(({ to }, index) => {
    const end = layout.edges[index]?.points.at(-1)
    const box = layout.nodes.get(to)
    if (end === undefined || box === undefined) return false
    const isBeside = (at: number, from: number, size: number): boolean =>
      at >= from - 1 && at <= from + size + 1
    return isBeside(end.x, box.x, box.width) && isBeside(end.y, box.y, box.height)
  })
}

async function layOutOnce(
  picture: Picture,
  direction: GraphDirection,
  more: Readonly<Record<string, string>> = {},
): Promise<GraphLayout> {
  const graph: ElkNode = {
    id: 'picture',
    layoutOptions: { ...options, ...more, 'elk.direction': direction },
    children: picture.nodes.map((node) => ({ id: node.id, ...sizeOf(node) })),
    edges: picture.edges.map(elkEdge),
  }
  const placed = await openEngine().layout(graph)
  const nodes = new Map<string, NodeBox>()
  for (const { id, x = 0, y = 0, width = 0, height = 0 } of placed.children ?? []) {
    nodes.set(id, { x, y, width, height })
  }
  const edges = (placed.edges ?? []).map((edge) => {
    const section = edge.sections?.[0]
    const [label] = edge.labels ?? []
    return {
      points: section ? [section.startPoint, ...(section.bendPoints ?? []), section.endPoint] : [],
      label: label === undefined ? null : { x: label.x ?? 0, y: label.y ?? 0 },
    }
  })
  const size = { width: placed.width ?? 0, height: placed.height ?? 0 }
  return { direction, size, nodes, edges }
}

const letterWidth = 7.4

/** As large as its text. */
function sizeOf(node: PictureNode): { readonly width: number; readonly height: number } {
  if (node.kind === 'fork' || node.kind === 'join') {
    return { width: Math.max(92, node.title.length * letterWidth + 36), height: 30 }
  }
  const width = Math.min(240, Math.max(118, node.title.length * letterWidth + 44))
  return { width, height: 46 }
}

function elkEdge(edge: PictureEdge, index: number): ElkExtendedEdge {
  const text = edgeTexts(edge)
  // WHY also without a text: beside a loop there has to be room for how often it was taken.
  const isLoop = edge.from === edge.to
  const width = Math.max(0, ...text.map((line) => line.length * 6.6)) + 26
  const height = Math.max(1, text.length) * 17 + 6
  const labels = text.length === 0 && !isLoop ? [] : [{ text: 'label', width, height }]
  return {
    id: `e${index}`,
    sources: [edge.from],
    targets: [edge.to],
    labels: labels.map((label) => ({
      ...label,
      layoutOptions: { 'elk.edgeLabels.inline': isLoop ? 'false' : 'true' },
    })),
    layoutOptions: edge.isBad ? {} : { 'elk.layered.priority.straightness': '20' },
  }
}

/** What stands at an edge, line by line. */
export function edgeTexts({ lines }: PictureEdge): readonly string[] {
  return lines.map(({ signals, condition, gate }) => {
    const words = [signals, condition].filter(Boolean).join(' ')
    return gate === null ? words : `${words} ◆`
  })
}
