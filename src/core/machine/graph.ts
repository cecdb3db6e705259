/**
 * A machine as a graph: its edges, and the few walks over them that checks and drawings need.
 * Knows stages and moves. Must not know what a finding is, nor any dialect's words.
 *
 * Every walk is iterative and linear in stages and edges: a definition of 20 000 stages in one
 * chain must not overflow the stack.
 */
import { assertNever } from '../assert.ts'
import { guardsOfEnd } from './choose-order.ts'
import type { Guard, Machine, Move, Origin, Route, Stage, Trigger } from './machine.ts'

export type EdgeKind =
  | 'route'
  | 'fallback'
  /** Forced, from wherever the run stands. */
  | 'detour'
  /** Back to where the detour began. */
  | 'return'
  /** To where a branch begins, in a run of its own. */
  | 'fork'
  /** Where the run goes on when its branches are done. */
  | 'join'
  /** Where the run goes on when the invoked machine is done. */
  | 'invoke'
  /** Where the run goes on when branches or the invoked machine failed. */
  | 'fail'
  /** The signal may name any stage. */
  | 'named'
  /** The run ends where it stands. */
  | 'end'

export type Edge = {
  readonly kind: EdgeKind
  /** Null: from anywhere (a detour). */
  readonly from: string | null
  /** Null: no single stage (a return, an end, a named stage). It may not exist. */
  readonly to: string | null
  readonly signal: string | null
  /** The route, fallback, branch or detour. */
  readonly origin: Origin
  /** Where the name of the stage it leads to stands. */
  readonly targetOrigin: Origin
  readonly hasGate: boolean
  readonly guards: readonly Guard[]
}

/** Every way a run of this machine can go, also to stages that do not exist. */
export function edgesOf(machine: Machine): readonly Edge[] {
  const edges: Edge[] = []
  for (const stage of Object.values(machine.stages)) {
    for (const edge of edgesFrom(stage)) edges.push(edge)
  }
  for (const { target, origin } of machine.detours) {
    edges.push({ ...plain, kind: 'detour', from: null, to: target, origin, targetOrigin: origin })
  }
  return edges
}

/** Every way out of one stage, detours left aside. */
export function edgesFrom(stage: Stage): readonly Edge[] {
  const edges: Edge[] = []
  for (const trigger of Object.values(stage.signals)) {
    for (const route of trigger.routes) {
      for (const edge of edgesOfRoute(stage, trigger, route)) edges.push(edge)
    }
    const way = { ...plain, from: stage.name, to: null, signal: trigger.name }
    const places = { origin: trigger.origin, targetOrigin: trigger.origin }
    if (trigger.canName) edges.push({ ...way, ...places, kind: 'named' })
    const guards = guardsOfEnd(trigger)
    if (guards !== null) edges.push({ ...way, ...places, guards, kind: 'end' })
  }
  if (stage.fallback !== null) {
    const { stage: to, origin } = stage.fallback
    edges.push({ ...plain, kind: 'fallback', from: stage.name, to, origin, targetOrigin: origin })
  }
  return edges
}

const plain = { signal: null, hasGate: false, guards: [] } as const

function edgesOfRoute(stage: Stage, trigger: Trigger, route: Route): Edge[] {
  const { move, origin, guards } = route
  const hasGate = route.gate !== null
  return targetsOf(move).map(({ kind, to, at }) => {
    const names = { kind, from: stage.name, to, signal: trigger.name }
    return { ...names, origin, targetOrigin: at ?? move.origin, hasGate, guards }
  })
}

type Target = { readonly kind: EdgeKind; readonly to: string | null; readonly at?: Origin }

function targetsOf(move: Move): Target[] {
  switch (move.kind) {
    case 'goto':
      return [{ kind: 'route', to: move.stage }]
    case 'return':
      return [{ kind: 'return', to: null }]
    case 'end':
      return [{ kind: 'end', to: null }]
    case 'invoke':
      return [{ kind: 'invoke', to: move.onComplete }, ...failTarget(move.onFail)]
    case 'fork': {
      const branches = move.branches.map((branch): Target => {
        return { kind: 'fork', to: branch.initial, at: branch.origin }
      })
      return [...branches, { kind: 'join', to: move.onComplete }, ...failTarget(move.onFail)]
    }
    default:
      return assertNever(move)
  }
}

function failTarget(onFail: string | null): Target[] {
  return onFail === null ? [] : [{ kind: 'fail', to: onFail }]
}

// ── walks ───────────────────────────────────────────────────────────────────

/** Nodes are numbers from 0; `next[node]` are those it leads to. */
export type GraphLinks = readonly (readonly number[])[]

/** For each node, whether it can be reached from a seed. The seeds are. */
export function reachableFrom(next: GraphLinks, seeds: Iterable<number>): readonly boolean[] {
  const isReached = new Array<boolean>(next.length).fill(false)
  const queue: number[] = []
  for (const seed of seeds) visit(seed)
  for (let head = 0; head < queue.length; head += 1) {
    for (const node of next[queue[head] ?? 0] ?? []) visit(node)
  }
  return isReached

  function visit(node: number): void {
    if (isReached[node] !== false) return
    isReached[node] = true
    queue.push(node)
  }
}

/** The same links, walked backwards. */
export function reverse(next: GraphLinks): GraphLinks {
  const back: number[][] = next.map(() => [])
  for (const [node, targets] of next.entries()) {
    for (const target of targets) back[target]?.push(node)
  }
  return back
}

/**
 * Strongly connected components: for each node the number of its component.
 * Tarjan's algorithm with its own stack instead of the machine's.
 */
export function componentsOf(next: GraphLinks): readonly number[] {
  const component = new Array<number>(next.length).fill(-1)
  const order = new Array<number>(next.length).fill(-1)
  const low = new Array<number>(next.length).fill(0)
  const open: number[] = []
  let ordered = 0
  let components = 0
  for (let root = 0; root < next.length; root += 1) {
    if (order[root] !== -1) continue
    const work = [begin(root)]
    for (let frame = work.at(-1); frame !== undefined; frame = work.at(-1)) {
      const { node } = frame
      const target = next[node]?.[frame.position]
      frame.position += 1
      if (target === undefined) {
        work.pop()
        close(node)
        const parent = work.at(-1)
        if (parent !== undefined) lower(parent.node, low[node])
      } else if (order[target] === -1) work.push(begin(target))
      else if (component[target] === -1) lower(node, order[target])
    }
  }
  return component

  function begin(node: number): { readonly node: number; position: number } {
    order[node] = ordered
    low[node] = ordered
    ordered += 1
    open.push(node)
    return { node, position: 0 }
  }
  function lower(node: number, to: number | undefined): void {
    low[node] = Math.min(low[node] ?? 0, to ?? 0)
  }
  function close(node: number): void {
    if (low[node] !== order[node]) return
    let member = open.pop()
    for (; member !== undefined && member !== node; member = open.pop()) {
      component[member] = components
    }
    component[node] = components
    components += 1
  }
}

/** The nodes that lie on a cycle, together with those they share one with. */
export function cyclesOf(next: GraphLinks): readonly (readonly number[])[] {
  const members: number[][] = []
  for (const [node, component] of componentsOf(next).entries()) {
    const group = members[component]
    if (group === undefined) members[component] = [node]
    else group.push(node)
  }
  return members.filter((group) => {
    const [first = 0] = group
    return group.length > 1 || (next[first] ?? []).includes(first)
  })
}
