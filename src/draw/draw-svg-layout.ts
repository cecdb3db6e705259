/**
 * Places the boxes of a picture with ELK's layered layout.
 * Knows pictures and ELK. Must not know colours or SVG.
 */
import type { ElkExtendedEdge, ElkNode, LayoutOptions } from 'elkjs/lib/elk-api.js'
import type { Picture } from '../core/draw/picture.ts'
import { boxOfLabel, boxOfNode, type SvgBox } from './draw-svg-boxes.ts'

export type Direction = 'down' | 'right'
export type SvgPoint = { readonly x: number; readonly y: number }

export type Layout = {
  readonly width: number
  readonly height: number
  readonly start: SvgPoint | null
  /** By node id; the upper left corner. */
  readonly nodes: ReadonlyMap<string, PlacedBox>
  /** In the order of the picture's edges; the last one is the start's. */
  readonly edges: readonly PlacedEdge[]
}

export type PlacedBox = SvgPoint & { readonly box: SvgBox }
export type PlacedEdge = { readonly points: readonly SvgPoint[]; readonly label: PlacedBox | null }

export const startSize = 18
const startId = 'start'
const crowdMin = 3

const options: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.randomSeed': '1',
  'elk.spacing.nodeNode': '36',
  'elk.spacing.edgeNode': '20',
  'elk.spacing.edgeEdge': '14',
  'elk.spacing.edgeLabel': '0',
  'elk.spacing.componentComponent': '48',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '18',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '14',
  'elk.layered.cycleBreaking.strategy': 'DEPTH_FIRST',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.spacing.nodeSelfLoop': '22',
  'elk.layered.edgeLabels.centerLabelPlacementStrategy': 'TAIL_LAYER',
}

/** Nodes and edges up to which a finer, much slower way of placing is used. */
const carefulSizeMax = 60
const steadySizeMax = 160

/** Larger pictures are placed with less care: a finer layout would take minutes. */
function careOptions(size: number): LayoutOptions {
  if (size > steadySizeMax) {
    return {
      'elk.layered.thoroughness': '2',
      'elk.layered.crossingMinimization.greedySwitch.type': 'OFF',
      'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
    }
  }
  const isCareful = size <= carefulSizeMax
  return {
    'elk.layered.thoroughness': isCareful ? '15' : '5',
    'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
    'elk.layered.nodePlacement.strategy': isCareful ? 'NETWORK_SIMPLEX' : 'BRANDES_KOEPF',
  }
}

/** Where everything in the picture goes. */
export async function layOutSvg(picture: Picture, direction: Direction): Promise<Layout> {
  // WHY: the layout engine is large; only a picture that needs it pays for loading it.
  const { default: elkModule } = await import('elkjs/lib/elk.bundled.js')
  const elk = new elkModule.default()
  const boxes = nodeBoxes(picture)
  const labels = picture.edges.map(boxOfLabel)
  const crowded = crowdedEnds(picture)
  const graph: ElkNode = {
    id: 'picture',
    layoutOptions: {
      ...options,
      ...careOptions(picture.nodes.length + picture.edges.length),
      'elk.direction': direction === 'down' ? 'DOWN' : 'RIGHT',
    },
    children: [
      { id: startId, width: startSize, height: startSize },
      ...[...boxes].map(([id, box]) => elkNode(id, { box, isCrowded: crowded.has(id) }, direction)),
    ],
    edges: elkEdges(picture, labels, crowded),
  }
  const placed = await elk.layout(graph)
  return readLayout(placed, boxes, labels)
}

/** Ends that many edges lead to: these share their last piece, or the lines would tangle. */
function crowdedEnds(picture: Picture): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const edge of picture.edges) counts.set(edge.to, (counts.get(edge.to) ?? 0) + 1)
  const ends = picture.nodes.filter((node) => node.kind === 'final' || node.kind === 'end')
  return new Set(ends.map((node) => node.id).filter((id) => (counts.get(id) ?? 0) >= crowdMin))
}

function nodeBoxes(picture: Picture): Map<string, SvgBox> {
  const boxes = new Map<string, SvgBox>()
  for (const node of picture.nodes) {
    const outs = picture.edges.filter((edge) => edge.from === node.id).length
    const ins = picture.edges.filter((edge) => edge.to === node.id).length
    boxes.set(node.id, boxOfNode(node, Math.max(ins, outs)))
  }
  return boxes
}

type Seed = { readonly box: SvgBox; readonly isCrowded: boolean }

function elkNode(id: string, seed: Seed, direction: Direction): ElkNode {
  const node = { id, width: seed.box.width, height: seed.box.height }
  if (!seed.isCrowded) return node
  const side = { 'elk.port.side': direction === 'down' ? 'NORTH' : 'WEST' }
  const port = { id: portId(id), width: 0, height: 0, layoutOptions: side }
  return { ...node, ports: [port], layoutOptions: { 'elk.portConstraints': 'FIXED_SIDE' } }
}

function portId(id: string): string {
  return `${id}.in`
}

// WHY: the way to success should be the straight one; failures may bend around it.
const mainPriorities: LayoutOptions = {
  'elk.layered.priority.direction': '1',
  'elk.layered.priority.straightness': '20',
  'elk.layered.priority.shortness': '5',
}

function elkEdges(
  picture: Picture,
  labels: readonly (SvgBox | null)[],
  crowded: ReadonlySet<string>,
): ElkExtendedEdge[] {
  const edges: ElkExtendedEdge[] = picture.edges.map((edge, index) => {
    const box = labels[index]
    const label = {
      text: 'label',
      width: box?.width ?? 0,
      height: box?.height ?? 0,
      layoutOptions: {
        'elk.edgeLabels.inline': edge.from === edge.to ? 'false' : 'true',
        'elk.edgeLabels.placement': 'CENTER',
      },
    }
    return {
      id: `e${index}`,
      sources: [edge.from],
      targets: [crowded.has(edge.to) ? portId(edge.to) : edge.to],
      labels: box ? [label] : [],
      layoutOptions: edge.isBad ? {} : mainPriorities,
    }
  })
  const initial = picture.nodes.find((node) => node.isInitial)
  if (initial) edges.push({ id: 'start', sources: [startId], targets: [initial.id] })
  return edges
}

function readLayout(
  placed: ElkNode,
  boxes: ReadonlyMap<string, SvgBox>,
  labels: readonly (SvgBox | null)[],
): Layout {
  const nodes = new Map<string, PlacedBox>()
  let start: SvgPoint | null = null
  for (const child of placed.children ?? []) {
    const at = { x: child.x ?? 0, y: child.y ?? 0 }
    const box = boxes.get(child.id)
    if (box) nodes.set(child.id, { ...at, box })
    else start = at
  }
  const edges = (placed.edges ?? []).map((edge, index) => {
    const section = edge.sections?.[0]
    const points = section
      ? [section.startPoint, ...(section.bendPoints ?? []), section.endPoint]
      : []
    const box = labels[index]
    const [at] = edge.labels ?? []
    return { points, label: box && at ? { x: at.x ?? 0, y: at.y ?? 0, box } : null }
  })
  return { width: placed.width ?? 0, height: placed.height ?? 0, start, nodes, edges }
}
