/**
 * A world of its own: nodes with clocks that disagree, one store behind bad lines, and a journal.
 * Everything in it follows from its seed.
 */
import { type Random, randomFrom } from '../../scripts/shell-fuzz/random.ts'
import { openClock } from '../../src/runtime/clock.ts'
import { type OpenRuntime, openRuntime } from '../../src/runtime/open-runtime.ts'
import { PawlError } from '../../src/runtime/pawl-error.ts'
import type { OutboxItem, Store } from '../../src/runtime/ports.ts'
import { openMemoryStore } from '../../src/store/memory/memory-store.ts'
import { Broken } from './broken-promise.ts'
import { type Fate, faultyStore } from './faulty-store.ts'
import {
  denseScenes,
  exampleScenes,
  generatedScenes,
  overlays,
  type Scene,
} from './sample-definitions.ts'
import { openScheduler, type Scheduler } from './scheduler.ts'

/** One life of a node: a crash ends it, and another begins in its place. */
export type Node = {
  readonly name: string
  readonly runtime: OpenRuntime
  /** Resolves when its life is over. */
  readonly lost: Promise<void>
  readonly die: () => void
  /** Hears that a log has grown. */
  readonly hear: (runId: string, seq: number) => void
}

export type World = {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly scene: Scene
  /** The store itself, without the bad lines. */
  readonly raw: Store
  readonly nodes: () => readonly Node[]
  readonly anyNode: () => Node
  /** Sets the wall clock of one place. */
  readonly jump: (ms: number) => void
  readonly pass: (ms: number) => void
  /** Cuts the store off, or gives it back. */
  readonly setOutage: (isCutOff: boolean) => void
  /** No faults any more, and a time later than anybody's clock ever showed. */
  readonly calm: () => void
  readonly newId: () => string
  /** Questions that somebody outside was told of. */
  readonly told: ReadonlySet<string>
  readonly overlay: (typeof overlays)[number]
  readonly note: (line: () => string) => void
  readonly over: AbortSignal
  readonly end: () => void
}

export type WorldOptions = {
  readonly seed: number
  /** Puts a bug into the store, to see that it is found. */
  readonly plant: (store: Store) => Store
  readonly note: (line: () => string) => void
  /** Absent: one of many. */
  readonly scene?: Scene
  readonly overlay?: World['overlay']
}

const startMs = Date.UTC(2026, 2, 11, 10, 30)
const dayMs = 86_400_000

type Weather = { faultPercent: number; crashPercent: number; isCutOff: boolean }

export function openWorld(options: WorldOptions): World {
  const { seed, plant, note } = options
  const random = randomFrom(seed)
  const scheduler = openScheduler(random)
  const raw = plant(openMemoryStore())
  const scenes = random.pick([denseScenes, denseScenes, exampleScenes, generatedScenes])
  const over = new AbortController()
  const places = 1 + random.below(3)
  const isShared = places > 1 || random.chance(50)
  const weather: Weather = {
    faultPercent: random.pick([0, 2, 5, 12]),
    crashPercent: random.pick([0, 0, 1, 2]),
    isCutOff: false,
  }
  const told = new Set<string>()
  const time = { ms: startMs, latest: startMs, skews: Array.from({ length: places }, () => 0) }
  let ids = 0
  const newId = (): string => {
    ids += 1
    return `i${ids}`
  }
  const overlay = options.overlay ?? random.pick(overlays)
  const shared = { random, scheduler, raw, isShared, weather, told, time, newId, overlay, note }
  const ground: Ground = { ...shared, approvalMs: random.pick([600_000, 3_600_000]), nodes: [] }
  for (let place = 0; place < places; place += 1) ground.nodes.push(openNode(ground, place, 1))
  note(() => `${places} nodes, shared ${isShared}, ${JSON.stringify(weather)}`)
  return {
    ...shared,
    scene: options.scene ?? random.pick(scenes),
    nodes: () => ground.nodes,
    anyNode: () => random.pick(ground.nodes),
    jump: (ms) => {
      const place = random.below(places)
      time.skews[place] = (time.skews[place] ?? 0) + ms
    },
    pass: (ms) => {
      time.ms += ms
    },
    setOutage: (isCutOff) => {
      weather.isCutOff = isCutOff
    },
    calm: () => {
      Object.assign(weather, { faultPercent: 0, crashPercent: 0, isCutOff: false })
      time.skews.fill(0)
      time.ms = Math.max(time.ms, time.latest) + 3 * dayMs
    },
    over: over.signal,
    end: () => over.abort(),
  }
}

type Ground = {
  readonly random: Random
  readonly scheduler: Scheduler
  readonly raw: Store
  readonly isShared: boolean
  readonly weather: Weather
  readonly told: Set<string>
  readonly time: { ms: number; latest: number; readonly skews: number[] }
  readonly newId: () => string
  readonly overlay: World['overlay']
  readonly approvalMs: number
  readonly note: World['note']
  readonly nodes: Node[]
}

function openNode(ground: Ground, place: number, life: number): Node {
  const { scheduler, note, time } = ground
  const name = `node ${place + 1}.${life}`
  const owner = { place, life }
  let isGone = false
  let loseIt: () => void = () => undefined
  const lost = new Promise<void>((resolve) => {
    loseIt = resolve
  })
  let ear: Node['hear'] = () => undefined
  const step = (): Promise<void> => scheduler.step(owner)
  const die = (): void => {
    if (isGone) return
    note(() => `${name} dies`)
    isGone = true
    scheduler.drop(owner)
    ground.nodes[place] = openNode(ground, place, life + 1)
    loseIt()
  }
  const store = faultyStore(ground.raw, {
    isShared: ground.isShared,
    fate: (call) => {
      const fate = fateOf(ground)
      if (fate !== 'fine') note(() => `  ${name}: \`${call}\` ${fate}`)
      return fate
    },
    step,
    die,
    onChange: (listener) => {
      ear = listener
      return () => undefined
    },
    tellChange: (runId, seq) => spread(ground, runId, seq),
  })
  const wall = (): number => time.ms + (time.skews[place] ?? 0)
  const clock = openClock({ wall, steady: () => time.ms, notBefore: 0 })
  const now = (): number => {
    const at = clock.now()
    time.latest = Math.max(time.latest, at)
    return at
  }
  const runtime = openRuntime({
    store,
    clock: { now },
    newId: ground.newId,
    policies: () => ground.overlay,
    approvalMs: ground.approvalMs,
    // WHY: a thread that looks at real files would take turns that the schedule does not know.
    observeWorkspace: async (folder) => ({ folder, fingerprint: null }),
    retention: { days: null, megabytes: null },
    deliver: (item) => deliver(ground, step, item),
    log: (what, fault) => unlessExpected(what, fault),
  })
  const hear = (runId: string, seq: number): void => {
    if (!isGone) ear(runId, seq)
  }
  return { name, runtime, lost, die, hear }
}

function fateOf({ random, weather, isShared }: Ground): Fate {
  if (weather.isCutOff) return 'refused'
  if (random.chance(weather.crashPercent)) return random.pick(['dies', 'dies after'])
  if (!random.chance(weather.faultPercent)) return 'fine'
  // WHY: an embedded store tells what it did; only a line in between can lose the answer.
  return isShared && random.chance(50) ? 'unknown' : 'refused'
}

/** A hint to every node: it may come late, twice or never. */
function spread({ nodes, random, scheduler }: Ground, runId: string, seq: number): void {
  for (const node of nodes) {
    for (let times = random.below(3); times > 0; times -= 1) {
      scheduler.step(node).then(() => node.hear(runId, seq))
    }
  }
}

class Undelivered extends Error {}

async function deliver(
  { random, weather, told, note }: Ground,
  step: () => Promise<void>,
  item: OutboxItem,
): Promise<undefined> {
  await step()
  if (random.chance(weather.faultPercent * 3)) throw new Undelivered('nobody answers')
  const { approvalId } = JSON.parse(item.data) as { readonly approvalId: string }
  note(() => `outside: told of ${approvalId}`)
  told.add(approvalId)
}

/** What a node may write to its log without anything being wrong. */
function unlessExpected(what: string, fault: unknown): void {
  if (fault instanceof Undelivered) return
  if (fault instanceof PawlError && fault.code === 'STORE_CONFLICT') return
  throw new Broken(`a node logged: ${what}: ${String(fault)}`)
}
