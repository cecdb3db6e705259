/**
 * One schedule: a world, those who act in it, and what must be true during it and afterwards.
 * The same seed gives the same schedule, to the last step.
 */
import type { Store } from '../../src/runtime/ports.ts'
import { actAsAgent, startTask, type Task } from './agent.ts'
import { Broken } from './broken-promise.ts'
import { openReplyChecker } from './check-replies.ts'
import { checkWorld, type Seen } from './check-world.ts'
import type { Scene } from './client.ts'
import { actAsPerson, disturb, type Questions, tickOnce, type Watch, watchRun } from './people.ts'
import { keepScene } from './sample-definitions.ts'
import { openWorld, type World } from './world.ts'

export type Schedule = {
  readonly seed: number
  /** What was broken; null: nothing. */
  readonly broken: string | null
} & Seen

export type Options = {
  readonly plant?: (store: Store) => Store
  /** Hears what happens, line by line. */
  readonly note?: (line: () => string) => void
}

export async function simulate(seed: number, options: Options = {}): Promise<Schedule> {
  const { plant = (store) => store, note = () => undefined } = options
  const world = openWorld({ seed, plant, note })
  try {
    return { seed, broken: null, ...(await play(world)) }
  } catch (fault) {
    if (!(fault instanceof Broken)) throw fault
    return { seed, broken: fault.message, recordsCount: 0, kinds: new Set() }
  } finally {
    world.end()
    // Whoever runs thousands of schedules gets a word in between.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** What happened in a schedule, to be read by a person. */
export async function traceOf(seed: number, options: Options = {}): Promise<readonly string[]> {
  const lines: string[] = []
  const { broken } = await simulate(seed, { ...options, note: (line) => lines.push(line()) })
  return broken === null ? lines : [...lines, `broken: ${broken}`]
}

async function play(world: World): Promise<Seen> {
  await keepScene(world.raw, world.scene, 0)
  world.note(() => `by ${world.scene.name}`)
  const scene: Scene = { world, ledger: openReplyChecker(world.raw) }
  const watches: Watch[] = []
  await world.scheduler.drive(act(scene, watches))
  await world.scheduler.rest()
  world.calm()
  world.note(() => 'the world calms down')
  await world.scheduler.drive(settleDown(world))
  await world.scheduler.rest()
  return checkWorld(scene, watches)
}

/** Things begun in one schedule. */
const actionsMin = 30
const actionsMax = 65

/** How much time goes by between two things. */
const pausesMs = [0, 0, 1, 500, 2_000, 5_000, 150_000]

/** Begins one thing after another, without waiting for those before. */
async function act(scene: Scene, watches: Watch[]): Promise<void> {
  const { world } = scene
  const { random } = world
  const starts = Array.from({ length: 1 + random.below(2) }, () => startTask(scene))
  const tasks = (await Promise.all(starts)).filter((task) => task !== null)
  if (tasks.length === 0) return
  const questions: Questions = []
  const underWayMax = random.pick([1, 3, 6, 12])
  const begun: Promise<void>[] = []
  const underWay = new Set<Promise<void>>()
  const begin = (work: Promise<void>): void => {
    begun.push(work)
    underWay.add(work)
    const end = (): void => void underWay.delete(work)
    // How it ended is looked at below, with all others.
    work.then(end, end)
  }
  for (let left = actionsMin + random.below(actionsMax - actionsMin + 1); left > 0; left -= 1) {
    await world.scheduler.step(world)
    while (underWay.size >= underWayMax) await Promise.race(underWay).catch(() => undefined)
    world.pass(random.pick(pausesMs))
    const task = random.pick(tasks)
    const kind = random.below(100)
    if (isOver(task) && kind < 30) begin(startAnother(scene, tasks, task))
    else if (kind < 65) begin(actAsAgent(scene, task))
    else if (kind < 82) begin(actAsPerson(scene, task, questions))
    else if (kind < 90) begin(tickOnce(scene))
    else if (kind < 95) watchRun(scene, task, watches)
    else begin(disturb(scene))
  }
  await Promise.all(begun)
}

function isOver({ view }: Task): boolean {
  return view !== null && !['running', 'waiting', 'paused'].includes(view.status)
}

async function startAnother(scene: Scene, tasks: Task[], over: Task): Promise<void> {
  const task = await startTask(scene)
  if (task !== null) tasks[tasks.indexOf(over)] = task
}

/** Ticks after which nothing can be due any more. */
const ticksMax = 20

/** Everything that is due gets done, and everybody looks once more. */
async function settleDown(world: World): Promise<void> {
  for (const { runtime } of world.nodes()) {
    let left = ticksMax
    while (left > 0 && (await runtime.tick()) > 0) left -= 1
  }
  for (const { runtime } of world.nodes()) await runtime.poll()
}
