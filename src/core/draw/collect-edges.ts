/**
 * Walks a machine and collects the nodes and edges of its picture.
 * Knows machines. Must not know a layout or an output format.
 */
import { assert, assertNever } from '../assert.ts'
import { canonicalJson } from '../json.ts'
import { guardsOfEnd } from '../machine/choose-order.ts'
import type { EndOutcome, Gate, Machine, Move, Stage, Trigger } from '../machine/machine.ts'
import { plainGate } from './edge-line-text.ts'
import { listNames, oneLine, shortenText } from './label-text.ts'
import type {
  EdgeLine,
  NodeKind,
  PictureEdge,
  PictureEdgeKind,
  PictureNode,
} from './picture-types.ts'
import { conditionText, factsOfStage, inputText, sharedToolsOf } from './stage-facts.ts'

const titleCharsMax = 36
const signalCharsMax = 32
const gateCharsMax = 90
const idCharsMax = 40

type Draft = {
  readonly machine: Machine
  readonly nodes: Map<string, PictureNode>
  readonly edges: Map<string, DraftEdge>
  /** Stage name to node id. */
  readonly stageIds: Map<string, string>
  /** Ends and returns that may be shared, to node id. */
  readonly sharedIds: Map<string, string>
}

/** Lines by condition and gate, so that ten thousand signals between two stages stay cheap. */
type KeptLine = Omit<DraftLine, 'signals'> & { signals: Set<string> }
type DraftEdge = { from: string; to: string; kind: PictureEdgeKind; lines: Map<string, KeptLine> }
type DraftLine = { signals: string[]; condition: string; gate: string | null }

/** The nodes and edges of a machine's picture, in the author's order. */
export function collectEdges(machine: Machine): {
  nodes: readonly PictureNode[]
  edges: readonly PictureEdge[]
} {
  const draft: Draft = {
    machine,
    nodes: new Map(),
    edges: new Map(),
    stageIds: new Map(),
    sharedIds: new Map(),
  }
  addStages(draft)
  for (const stage of Object.values(machine.stages)) addRoutes(draft, stage)
  for (const detour of machine.detours) {
    const id = addNode(draft, `detour_${detour.name}`, {
      kind: 'detour',
      title: shortenText(detour.pattern, titleCharsMax),
      name: `${oneLine(detour.name)}: ${oneLine(detour.pattern)}`,
    })
    const line = { signals: [shortenText(detour.name, signalCharsMax)], condition: '', gate: null }
    addEdge(draft, { from: id, to: stageId(draft, detour.target), kind: 'detour' }, line)
  }
  return { nodes: [...draft.nodes.values()], edges: finishEdges(draft) }
}

function addStages(draft: Draft): void {
  const { machine } = draft
  const sharedTools = sharedToolsOf(machine)
  const terminals = new Set(
    forksOf(machine).flatMap((fork) => fork.branches.map((b) => b.terminal)),
  )
  const handlers = new Set(machine.detours.flatMap((detour) => detour.handler))
  for (const stage of Object.values(machine.stages)) {
    const isHandler = handlers.has(stage.name)
    const kind: NodeKind = terminals.has(stage.name)
      ? 'branch_end'
      : stage.final !== null
        ? 'final'
        : isHandler
          ? 'handler'
          : 'stage'
    const id = addNode(draft, `s_${stage.name}`, {
      kind,
      title: shortenText(stage.name, titleCharsMax),
      name: oneLine(stage.name),
      isInitial: stage.name === machine.initial,
      outcome: stage.final,
      facts: factsOfStage(stage, sharedTools),
    })
    draft.stageIds.set(stage.name, id)
  }
}

function forksOf(machine: Machine): Extract<Move, { kind: 'fork' }>[] {
  const moves = Object.values(machine.stages)
    .flatMap((stage) => Object.values(stage.signals))
    .flatMap((trigger) => trigger.routes.map((route) => route.move))
  return moves.filter((move) => move.kind === 'fork')
}

function completesInPlace(trigger: Trigger): boolean {
  return guardsOfEnd(trigger) !== null
}

function addRoutes(draft: Draft, stage: Stage): void {
  for (const trigger of Object.values(stage.signals)) {
    // WHY: a form has one thing to send; its name would say nothing on the arrow.
    const signals = trigger.fields === null ? [shortenText(trigger.name, signalCharsMax)] : []
    const [first] = signals
    if (trigger.warning !== null && first !== undefined) signals[0] = `${first} (warns)`
    for (const [index, route] of trigger.routes.entries()) {
      const isOpen = route.guards.length === 0
      const needs = route.requires.length === 0 ? '' : ` needs ${listNames(route.requires, 32)}`
      const guards = isOpen ? (index === 0 ? '' : '[else]') : conditionText(route.guards)
      const line = { signals, condition: (guards + needs).trim(), gate: gateLine(route.gate) }
      addMove(draft, { stage, move: route.move, line })
      // INVARIANT: nothing after a route without guards is ever taken, so it is not drawn.
      if (isOpen) break
    }
    if (completesInPlace(trigger)) {
      const condition = trigger.routes.length === 0 ? '' : '[else]'
      const to = endId(draft, 'completed')
      addEdge(
        draft,
        { from: stageId(draft, stage.name), to, kind: 'normal' },
        {
          signals,
          condition,
          gate: null,
        },
      )
    }
  }
  if (stage.fallback === null) return
  const to = stageId(draft, stage.fallback.stage)
  const line = { signals: ['any other'], condition: '', gate: null }
  addEdge(draft, { from: stageId(draft, stage.name), to, kind: 'fallback' }, line)
}

function gateLine(gate: Gate | null): string | null {
  if (gate === null) return null
  return shortenText(gate.message, gateCharsMax) || plainGate
}

type Step = { readonly stage: Stage; readonly move: Move; readonly line: DraftLine }

function addMove(draft: Draft, step: Step): void {
  const { stage, move, line } = step
  const from = stageId(draft, stage.name)
  switch (move.kind) {
    case 'goto':
      addEdge(draft, { from, to: stageId(draft, move.stage), kind: 'normal' }, line)
      return
    case 'return':
      addEdge(draft, { from, to: returnId(draft, stage), kind: 'return' }, line)
      return
    case 'end':
      addEdge(draft, { from, to: endId(draft, move.outcome), kind: 'normal' }, line)
      return
    case 'invoke': {
      const input = inputText(move.input)
      const id = sharedNode(draft, `machine_${move.machine}`, {
        same: sameness(move),
        kind: 'machine',
        title: shortenText(move.machine, titleCharsMax),
        name: oneLine(move.machine),
        facts: input === '' ? [] : [{ key: 'brief', text: input }],
      })
      addEdge(draft, { from, to: id, kind: 'normal' }, line)
      addOutcomes(draft, step, { id, done: 'completed', failed: 'failed' })
      return
    }
    case 'fork':
      addFork(draft, { ...step, move })
      return
    default:
      assertNever(move)
  }
}

function addFork(draft: Draft, step: Step & { move: Extract<Move, { kind: 'fork' }> }): void {
  const { stage, move, line } = step
  const isAll = move.join === 'all'
  const same = sameness(move)
  const fork = sharedNode(draft, 'fork', { kind: 'fork', title: 'fork', name: 'fork', same })
  const join = sharedNode(draft, 'join', {
    same,
    kind: 'join',
    title: isAll ? 'join: all branches' : 'join: first branch',
    name: isAll ? 'waits for all branches' : 'waits for the first branch',
  })
  addEdge(draft, { from: stageId(draft, stage.name), to: fork, kind: 'normal' }, line)
  for (const branch of move.branches) {
    const name = shortenText(branch.name, signalCharsMax)
    const begin = { from: fork, to: stageId(draft, branch.initial), kind: 'fork' as const }
    addEdge(draft, begin, { signals: [name], condition: '', gate: null })
    const end = { from: stageId(draft, branch.terminal), to: join, kind: 'join' as const }
    addEdge(draft, end, null)
  }
  const done = isAll ? 'all branches done' : 'first branch done'
  const failed = isAll ? 'a branch failed' : 'every branch failed'
  addOutcomes(draft, step, { id: join, done, failed })
}

type OutcomeWords = { readonly id: string; readonly done: string; readonly failed: string }

/** Where the run goes on after what it waited for; with no way to go on, it fails. */
function addOutcomes(draft: Draft, step: Step, words: OutcomeWords): void {
  const { move } = step
  if (move.kind !== 'invoke' && move.kind !== 'fork') return
  const done = { from: words.id, to: stageId(draft, move.onComplete), kind: 'normal' as const }
  addEdge(draft, done, { signals: [words.done], condition: '', gate: null })
  const to = move.onFail === null ? endId(draft, 'failed') : stageId(draft, move.onFail)
  const failed = { from: words.id, to, kind: 'fail' as const }
  addEdge(draft, failed, { signals: [words.failed], condition: '', gate: null })
}

function endId(draft: Draft, outcome: EndOutcome): string {
  return sharedNode(draft, `end_${outcome}`, {
    kind: 'end',
    title: outcome,
    name: outcome,
    outcome,
  })
}

function returnId(draft: Draft, stage: Stage): string {
  const title = 'back to where it started'
  const name = `return_${stageId(draft, stage.name)}`
  return sharedNode(draft, name, { kind: 'return', title, name: title })
}

/** The node that stands for the same thing already, or a new one. */
function sharedNode(draft: Draft, name: string, more: NodeSeed & { same?: string }): string {
  const { same, ...seed } = more
  const key = `${name} ${same ?? ''}`
  const id = draft.sharedIds.get(key) ?? addNode(draft, name, seed)
  draft.sharedIds.set(key, id)
  return id
}

/** What makes two moves the same to a reader, wherever they stand in the definition. */
function sameness(move: Extract<Move, { kind: 'fork' | 'invoke' }>): string {
  const { onComplete, onFail } = move
  const rest =
    move.kind === 'fork'
      ? [
          move.join,
          ...move.branches.flatMap(({ name, initial, terminal }) => [name, initial, terminal]),
        ]
      : [canonicalJson(move.input)]
  return canonicalJson([onComplete, onFail, ...rest])
}

function stageId(draft: Draft, name: string): string {
  const id = draft.stageIds.get(name)
  assert(id !== undefined, 'a compiled machine leads only to its own stages')
  return id
}

type NodeSeed = Pick<PictureNode, 'kind' | 'title' | 'name'> & Partial<PictureNode>

/** Adds a node under an id made from the name, numbered when it is taken. */
function addNode(draft: Draft, name: string, seed: NodeSeed): string {
  const plain = name.replace(/[^A-Za-z0-9]+/gu, '_').slice(0, idCharsMax)
  let id = plain
  for (let number = 2; draft.nodes.has(id); number += 1) id = `${plain}_${number}`
  draft.nodes.set(id, { isInitial: false, outcome: null, facts: [], ...seed, id })
  return id
}

type Way = { readonly from: string; readonly to: string; readonly kind: PictureEdgeKind }

/** Adds a way to the edge between the same two nodes, or a new edge. */
function addEdge(draft: Draft, way: Way, line: DraftLine | null): void {
  // WHY: a way that needs a person's word never shares an arrow with one that does not.
  const key = `${way.from}>${way.to}>${line?.gate == null ? 'free' : 'gated'}`
  const edge: DraftEdge = draft.edges.get(key) ?? { ...way, lines: new Map() }
  draft.edges.set(key, edge)
  // WHY: one sure way makes the whole edge sure; only an edge that is nothing else is a fallback.
  if (edge.kind === 'fallback' || edge.kind === 'fail') edge.kind = way.kind
  if (line === null || (line.signals.length === 0 && line.condition === '' && line.gate === null)) {
    return
  }
  const lineKey = `${line.condition}\n${line.gate ?? ''}`
  const same = edge.lines.get(lineKey)
  if (same === undefined) edge.lines.set(lineKey, { ...line, signals: new Set(line.signals) })
  else for (const name of line.signals) same.signals.add(name)
}

function finishEdges(draft: Draft): PictureEdge[] {
  return [...draft.edges.values()].map((edge) => {
    const outcome = draft.nodes.get(edge.to)?.outcome ?? null
    const lines: EdgeLine[] = [...edge.lines.values()].map((line) => ({
      ...line,
      signals: listNames([...line.signals], signalCharsMax * 2),
    }))
    const isBad = edge.kind === 'fail' || outcome === 'failed' || outcome === 'blocked'
    return { from: edge.from, to: edge.to, kind: edge.kind, lines, isBad }
  })
}
