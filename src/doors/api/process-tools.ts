/**
 * The tools for unattended routines: their inputs, and what each does with notes and tasks.
 * Whether a process may use a tool is judged elsewhere.
 */
import { z } from 'zod'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ProcessPlace } from '../../runtime/calls/routine-calls.ts'
import { type Memory, memoriesMax, valueCharsMax } from '../../runtime/documents/memories.ts'
import type { DocumentScope } from '../../runtime/documents/scoped-documents.ts'
import { type Task, tasksMax } from '../../runtime/documents/tasks.ts'
import type { Runtime } from '../../runtime/runtime.ts'

type ProcessTool = {
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly effect: 'looks' | 'changes' | 'removes'
  readonly act: (runtime: Runtime, place: ProcessPlace, input: never) => Promise<JsonObject>
}

const scope = z
  .enum(['process', 'workspace'])
  .default('process')
  .describe('`process`: only this process; `workspace`: shared by all processes in the workspace')
/** What people can read and type, and no blanks. */
const key = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\p{L}\p{N}._:/@-]+$/u)
  .describe('letters, digits and . _ : / @ -')
const value = z.unknown() as unknown as z.ZodType<Json>
const titleText = z.string().min(1).max(500)
const noteText = z.string().max(4_000)
const taskId = z.string().min(1).max(100)
const foundMax = 50
/** Characters of all values that one search gives. */
const foundCharsMax = 60_000
const listedMax = 200

function tool<Input extends z.ZodObject>(
  one: Omit<ProcessTool, 'input' | 'act'> & {
    readonly input: Input
    readonly act: (
      runtime: Runtime,
      place: ProcessPlace,
      input: z.output<Input>,
    ) => Promise<JsonObject>
  },
): ProcessTool {
  return one
}

export const processTools: Readonly<Record<string, ProcessTool>> = {
  memory_set: tool({
    title: 'Save a note',
    description:
      `Save a value under a key; replaces an existing value. At most ${memoriesMax} keys of ` +
      `${valueCharsMax} characters each.`,
    input: z.strictObject({ key, value, scope }),
    effect: 'changes',
    act: async ({ memories }, place, { scope: whose, ...note }) => {
      const kept = await memories.set(scopeOf(place, whose), note, place.by)
      return { memory: headOf(kept) }
    },
  }),
  memory_get: tool({
    title: 'Read a note',
    description: 'Return the value saved under a key, or null if there is none.',
    input: z.strictObject({ key, scope }),
    effect: 'looks',
    act: async ({ memories }, place, { key: wanted, scope: whose }) => {
      const found = await memories.get(scopeOf(place, whose), wanted)
      return { memory: found === null ? null : wholeOf(found) }
    },
  }),
  memory_search: tool({
    title: 'Search notes',
    description: 'Find notes whose key or value contains all of the words, latest first.',
    input: z.strictObject({
      query: z.string().min(1).max(500),
      limit: z.int().min(1).max(foundMax).default(10),
      scope,
    }),
    effect: 'looks',
    act: async ({ memories }, place, { query, limit, scope: whose }) => {
      const found = await memories.search(scopeOf(place, whose), query)
      const shown = fitting(found.slice(0, limit).map(wholeOf))
      return { memories: shown, left_out: found.length - shown.length }
    },
  }),
  memory_list: tool({
    title: 'List notes',
    description: 'List the keys of notes in order, without their values.',
    input: z.strictObject({ prefix: z.string().max(200).default(''), scope }),
    effect: 'looks',
    act: async ({ memories }, place, { prefix, scope: whose }) => {
      const found = await memories.list(scopeOf(place, whose), prefix)
      const shown = found.slice(0, listedMax).map(headOf)
      return { memories: shown, left_out: found.length - shown.length }
    },
  }),
  memory_delete: tool({
    title: 'Delete a note',
    description: 'Delete the note under a key.',
    input: z.strictObject({ key, scope }),
    effect: 'removes',
    act: async ({ memories }, place, { key: wanted, scope: whose }) => ({
      deleted: await memories.remove(scopeOf(place, whose), wanted),
    }),
  }),
  task_create: tool({
    title: 'Create a task',
    description: `Create a task that any run can claim. At most ${tasksMax} tasks at a time.`,
    input: z.strictObject({ title: titleText, note: noteText.default(''), scope }),
    effect: 'changes',
    act: async ({ tasks }, place, { scope: whose, ...wish }) => ({
      task: shownTask(await tasks.create(scopeOf(place, whose), wish, writerOf(place))),
    }),
  }),
  task_list: tool({
    title: 'List tasks',
    description: 'List tasks, oldest first.',
    input: z.strictObject({ status: z.enum(['open', 'claimed', 'done']).optional(), scope }),
    effect: 'looks',
    act: async ({ tasks }, place, { status, scope: whose }) => {
      const found = await tasks.list(scopeOf(place, whose), status ?? null)
      const shown = found.slice(0, listedMax).map(shownTask)
      return { tasks: shown, left_out: found.length - shown.length }
    },
  }),
  task_claim: tool({
    title: 'Claim a task',
    description:
      'Claim a task, or the oldest open one, so that no other run gets it. Null if none is open.',
    input: z.strictObject({ id: taskId.optional(), scope }),
    effect: 'changes',
    act: async ({ tasks }, place, { id, scope: whose }) => {
      const mine = await tasks.claim(scopeOf(place, whose), id ?? null, writerOf(place))
      return { task: mine === null ? null : shownTask(mine) }
    },
  }),
  task_update: tool({
    title: 'Update a task',
    description: 'Update a task that you claimed, or give it back (`status: open`).',
    input: z.strictObject({
      id: taskId,
      title: titleText.optional(),
      note: noteText.optional(),
      status: z.enum(['open', 'claimed']).optional(),
      scope,
    }),
    effect: 'changes',
    act: async ({ tasks }, place, { scope: whose, id, title, note, status }) => {
      const change = {
        id,
        ...(title === undefined ? {} : { title }),
        ...(note === undefined ? {} : { note }),
        ...(status === undefined ? {} : { status }),
      }
      return { task: shownTask(await tasks.update(scopeOf(place, whose), change, writerOf(place))) }
    },
  }),
  task_complete: tool({
    title: 'Complete a task',
    description: 'Mark a task that you claimed as done, with its result.',
    input: z.strictObject({ id: taskId, result: noteText.default(''), scope }),
    effect: 'changes',
    act: async ({ tasks }, place, { scope: whose, id, result }) => {
      const change = { id, result, status: 'done' } as const
      return { task: shownTask(await tasks.update(scopeOf(place, whose), change, writerOf(place))) }
    },
  }),
}

function scopeOf({ scope: own }: ProcessPlace, whose: 'process' | 'workspace'): DocumentScope {
  return whose === 'process' ? own : { ...own, definition: null }
}

function writerOf({ by, commandId }: ProcessPlace): ProcessPlace['by'] & { commandId: string } {
  return { ...by, commandId }
}

function headOf({ value: _, by, ...head }: Memory): JsonObject {
  return { ...head, by: { ...by } }
}

function wholeOf(memory: Memory): JsonObject {
  return { ...headOf(memory), value: memory.value }
}

function shownTask({ by, ...task }: Task): JsonObject {
  return { ...task, by: { ...by } }
}

function fitting(found: readonly JsonObject[]): readonly JsonObject[] {
  let chars = 0
  return found.filter((one) => {
    chars += JSON.stringify(one).length
    return chars <= foundCharsMax
  })
}
