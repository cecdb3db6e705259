/**
 * Findings about machines that invoke each other.
 * Knows names of machines. Must not know where they are kept: it is given a way to look them up.
 */
import { type Finding, finding } from '../finding.ts'
import type { Machine, Move } from './machine.ts'
import { nearestName, quotedList } from './name-suggestions.ts'

// INVARIANT: a library may be large; beyond this many machines the walk ends.
const machinesMax = 10_000

type InvokeMove = Extract<Move, { kind: 'invoke' }>

/**
 * INVOKE_UNKNOWN and INVOKE_CYCLE: what this machine invokes, at any depth, must be there and must
 * not lead back. Each finding stands at this machine's own move; `names` are for suggestions only.
 */
export function linkMachine(
  machine: Machine,
  known: (name: string) => Machine | undefined,
  names: readonly string[] = [],
): Finding[] {
  const library = gather(machine, known)
  const endless = endlessIn(library)
  const lost = lostIn(library)
  const found: Finding[] = []
  for (const { move, stage } of invokesOf(machine)) {
    const place = { pointer: move.origin, saying: move.machine }
    const from = `\`${stage}\` invokes \`${move.machine}\``
    if (!library.has(move.machine)) {
      const message = `${from}, but no definition has that name`
      const hint = unknownHint(move.machine, names)
      found.push(finding('INVOKE_UNKNOWN', place, { message, hint }))
    } else if (endless.has(move.machine)) {
      const ring = ringFrom(move.machine, library, endless)
      const message = `${from}, which never ends: ${ring.map((name) => `\`${name}\``).join(' → ')}`
      const hint = 'remove one of these invocations'
      found.push(finding('INVOKE_CYCLE', place, { message, hint }))
    } else if (lost.has(move.machine)) {
      const missing = lost.get(move.machine) ?? ''
      const message = `${from}, which needs \`${missing}\`, but no definition has that name`
      const hint = unknownHint(missing, names)
      found.push(finding('INVOKE_UNKNOWN', place, { message, hint }))
    }
  }
  return found
}

function unknownHint(name: string, names: readonly string[]): string {
  const meant = nearestName(name, names)
  if (meant !== undefined) return `did you mean \`${meant}\`?`
  const others = names.length === 0 ? '' : `, or invoke one that exists: ${quotedList(names)}`
  return `add a definition named \`${name}\` next to this one${others}`
}

type Invoke = { readonly stage: string; readonly move: InvokeMove }

/** Every route of a machine that invokes another. */
export function invokesOf(machine: Machine): readonly Invoke[] {
  const invokes: Invoke[] = []
  for (const stage of Object.values(machine.stages)) {
    for (const trigger of Object.values(stage.signals)) {
      for (const { move } of trigger.routes) {
        if (move.kind === 'invoke') invokes.push({ stage: stage.name, move })
      }
    }
  }
  return invokes
}

/** Each machine that can come to run, with the names it invokes. */
type Library = ReadonlyMap<string, ReadonlySet<string>>

function gather(machine: Machine, known: (name: string) => Machine | undefined): Library {
  const library = new Map<string, ReadonlySet<string>>()
  const wanted = new Set([machine.name])
  for (const name of wanted) {
    if (library.size >= machinesMax) break
    // The machine itself may not be stored yet, or differ from what is.
    const one = name === machine.name ? machine : known(name)
    if (one === undefined) continue
    const invoked = new Set(invokesOf(one).map(({ move }) => move.machine))
    library.set(name, invoked)
    for (const next of invoked) wanted.add(next)
  }
  return library
}

/** Machines that lie on a circle or lead to one: what is left when all that end are taken out. */
function endlessIn(library: Library): ReadonlySet<string> {
  const openCount = new Map<string, number>()
  const invokers = invokersIn(library)
  const ended: string[] = []
  for (const [name, invoked] of library) {
    const inside = [...invoked].filter((one) => library.has(one))
    openCount.set(name, inside.length)
    if (inside.length === 0) ended.push(name)
  }
  const left = new Set(library.keys())
  for (let name = ended.pop(); name !== undefined; name = ended.pop()) {
    left.delete(name)
    for (const invoker of invokers.get(name) ?? []) {
      const count = (openCount.get(invoker) ?? 0) - 1
      openCount.set(invoker, count)
      if (count === 0) ended.push(invoker)
    }
  }
  return left
}

/** Machines that need one which is not there, and which that is. */
function lostIn(library: Library): ReadonlyMap<string, string> {
  const lost = new Map<string, string>()
  const isFull = library.size >= machinesMax
  for (const [name, invoked] of isFull ? [] : library) {
    const missing = [...invoked].find((one) => !library.has(one))
    if (missing !== undefined) lost.set(name, missing)
  }
  const invokers = invokersIn(library)
  // A map visits what is added while it is walked.
  for (const [name, missing] of lost) {
    for (const invoker of invokers.get(name) ?? []) {
      if (!lost.has(invoker)) lost.set(invoker, missing)
    }
  }
  return lost
}

function invokersIn(library: Library): ReadonlyMap<string, readonly string[]> {
  const invokers = new Map<string, string[]>()
  for (const [name, invoked] of library) {
    for (const one of invoked) {
      const list = invokers.get(one)
      if (list === undefined) invokers.set(one, [name])
      else list.push(name)
    }
  }
  return invokers
}

const ringNamesMax = 12

/** The way from a machine into a circle, until a name comes again. */
function ringFrom(name: string, library: Library, endless: ReadonlySet<string>): string[] {
  const ring = new Set<string>()
  let at: string | undefined = name
  while (at !== undefined && !ring.has(at) && ring.size < ringNamesMax) {
    ring.add(at)
    at = [...(library.get(at) ?? [])].find((one) => endless.has(one))
  }
  return at === undefined ? [...ring] : [...ring, at]
}
