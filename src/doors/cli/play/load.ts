/**
 * Gets a definition ready to be walked through: read, checked, linked to what it invokes.
 * Knows files. Must not know lines or terminals.
 */
import { relative, resolve, sep } from 'node:path'
import { closestName } from '../../../core/closest-name.ts'
import type { Library } from '../../../core/engine/family.ts'
import type { Json, JsonObject } from '../../../core/json.ts'
import { invokesOf } from '../../../core/machine/check-invocations.ts'
import type { Machine } from '../../../core/machine/machine.ts'
import { member, type Node, plainValue } from '../../../core/source/source.ts'
import {
  type DefinitionLibrary,
  openLibraries,
} from '../../../runtime/definitions/definition-library.ts'
import { readDefinition, type SourceFile } from '../../../runtime/definitions/read-definition.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { checkFile } from '../check-file.ts'
import { shownPath } from '../find-inputs.ts'
import { type LocatedFinding, locateFindings } from '../locate-findings.ts'
import type { CaseOrigin } from './save-case.ts'

export type Loaded = {
  readonly path: string
  readonly findings: readonly LocatedFinding[]
  /** Null when there are errors: a definition with errors never starts. */
  readonly chosen: Chosen | null
}

export type Chosen = {
  readonly machine: Machine
  readonly file: SourceFile
  readonly library: Library
  /** Where a case in this folder finds the definition. */
  readonly originFor: (folder: string) => CaseOrigin
}

/** Reads the definition in a file; `task` names one of several tasks. */
export function loadDefinition(name: string, cwd: string, task: string | null): Loaded {
  const path = resolve(cwd, name)
  const file = readDefinition(path, shownPath(path, cwd))
  const definitions = openLibraries(new Map([[path, file]]))(path)
  const { findings, machines } = checkFile(file, definitions)
  const located = locateFindings(file, findings)
  const isBroken = located.some((one) => one.severity === 'error')
  if (isBroken) return { path, findings: located, chosen: null }
  const machine = chooseMachine(machines, task, file.path)
  const library: Library = (wanted) =>
    machines.find((one) => one.name === wanted) ?? definitions.machine(wanted)
  const originFor = (folder: string): CaseOrigin => {
    const invoked = invokedBy(machine, library, definitions)
    const others = Object.keys(invoked).length === 0 ? {} : { definitions: invoked }
    // WHY: a case plays the first task of its file, so another one has to stand in the case itself.
    const own = machine === machines[0] ? null : taskValue(file, machine.name)
    return {
      ...(own === null ? { definition_file: pathFrom(folder, path) } : { definition: own }),
      ...others,
    }
  }
  return { path, findings: located, chosen: { machine, file, library, originFor } }
}

function chooseMachine(machines: readonly Machine[], task: string | null, path: string): Machine {
  const [first] = machines
  if (first === undefined) {
    throw new PawlError('DEFINITION_INVALID', `\`${path}\` has no definition to play`, {
      hint: 'name a file with a process, a workflow or a form',
    })
  }
  if (task === null) return first
  const found = machines.find((one) => one.name === task)
  if (found !== undefined) return found
  const names = machines.map((one) => one.name)
  const near = closestName(task, names)
  const hint = near === null ? `the tasks are ${names.join(', ')}` : `did you mean \`${near}\`?`
  throw new PawlError('USAGE', `\`${path}\` has no task \`${task}\``, { hint })
}

function taskValue({ root }: SourceFile, id: string): Json | null {
  const context = root === null ? undefined : member(root, 'context')
  const tasks = context === undefined ? undefined : member(context, 'task')
  const nodes: readonly Node[] = tasks?.kind === 'list' ? tasks.items : []
  const found = nodes.find((node) => {
    const name = member(node, 'id')
    return name?.kind === 'scalar' && name.value === id
  })
  return found === undefined ? null : plainValue(found)
}

/** Definitions that a walk may reach, by the names that invoke them. */
function invokedBy(machine: Machine, library: Library, definitions: DefinitionLibrary): JsonObject {
  const found = new Map<string, Json>()
  const work: Machine[] = [machine]
  for (let next = work.pop(); next !== undefined; next = work.pop()) {
    for (const name of invokesOf(next).map(({ move }) => move.machine)) {
      const definition = definitions.definition(name)
      const invoked = library(name)
      if (found.has(name) || definition === undefined || invoked === undefined) continue
      found.set(name, plainValue(definition.root))
      work.push(invoked)
    }
  }
  return Object.fromEntries(found)
}

function pathFrom(folder: string, path: string): string {
  const near = relative(folder, path).replaceAll(sep, '/')
  return near.startsWith('.') || near.startsWith('/') ? near : `./${near}`
}
