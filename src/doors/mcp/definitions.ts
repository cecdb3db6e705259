/**
 * The definitions that can be loaded here: those in the workspace's own folder, and the stored
 * ones.
 */
import type {
  OfferedDefinition,
  DefinitionInput as RunInput,
} from '../../runtime/definitions/find-definition.ts'
import { PawlProblem } from '../api/problem.ts'
import type { ToolContext } from './tool-context.ts'

export type ListedDefinition = { readonly name: string; readonly dialect: string }

/** Definitions that are listed. */
const listMax = 500

/** All of them, each once. */
export async function definitionsFor({
  link,
  workspace,
}: ToolContext): Promise<readonly ListedDefinition[]> {
  const { items } = await link.ask('definitions.list', { limit: listMax })
  const stored = items.filter((one) => one.workspace === '')
  const all = [...(await inWorkspace(workspace)), ...stored]
  const listed = all.flatMap(({ name, dialect, tasks }) =>
    // WHY: the name of a file with several tasks would start one of them, and hide the others.
    (tasks.length > 1 ? tasks : [name]).map((one) => ({ name: one, dialect })),
  )
  return [...new Map(listed.map((one) => [one.name, one])).values()]
}

export type Definition = ListedDefinition & {
  readonly source: string
  readonly format: 'json' | 'yaml'
  /** What its runs are called. */
  readonly tasks: readonly string[]
}

/** One of them as its author wrote it; null: there is none of that name. */
export async function definitionFor(
  context: ToolContext,
  name: string,
): Promise<Definition | null> {
  const files = await inWorkspace(context.workspace)
  const near =
    files.find((one) => one.name === name) ?? files.find((one) => one.tasks.includes(name))
  if (near !== undefined) return { ...near, tasks: tasksFor(near, name) }
  const stored = await context.link.ask('definitions.read', { id: name }).catch(unlessUnknown)
  if (stored === null) return null
  const { dialect, source, format } = stored
  return { name, dialect, source, format, tasks: tasksFor(stored, name) }
}

/** The task of that name alone, else all of them. */
function tasksFor(
  { tasks }: { readonly tasks: readonly string[] },
  name: string,
): readonly string[] {
  return tasks.includes(name) ? [name] : tasks
}

/** What a run of it asks for first; nothing where it has no fields. */
export async function inputsFor(
  definition: Definition,
  task: string,
): Promise<readonly RunInput[]> {
  return (await import('../../runtime/definitions/find-definition.ts')).inputsOf(definition, task)
}

async function inWorkspace(workspace: string): Promise<readonly OfferedDefinition[]> {
  // WHY loaded here: few calls need what compiles.
  return (await import('../../runtime/definitions/find-definition.ts')).definitionsIn(workspace)
}

function unlessUnknown(fault: unknown): null {
  if (fault instanceof PawlProblem && fault.code === 'DEFINITION_UNKNOWN') return null
  throw fault
}
