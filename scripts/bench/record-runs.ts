/** Runs for benchmarks: a runtime as the daemon has it, and calls as hooks send them. */
import { randomUUID } from 'node:crypto'
import { openRuntime } from '../../src/runtime/open-runtime.ts'
import type { Store } from '../../src/runtime/ports.ts'

/** A runtime as the daemon has it, on a store. */
export function runtimeOn(store: Store): ReturnType<typeof openRuntime> {
  return openRuntime({
    store,
    clock: { now: () => Date.now() },
    newId: () => randomUUID(),
    policies: () => [],
    approvalMs: 86_400_000,
    retention: { days: null, megabytes: null },
    deliver: async () => undefined,
    log: (what, fault) => console.error(what, fault),
  })
}

const definition = JSON.stringify({
  id: 'bench',
  initial: 'work',
  states: {
    work: {
      allowed_tools: ['Bash', 'Read', 'Edit'],
      allowed_commands: ['git status', 'npm test'],
      on: { SHIP: { target: 'done', requires_approval: true } },
    },
    done: { type: 'final' },
  },
})

const agent = { kind: 'agent', name: 'agent' } as const

/** Starts runs of the bench's definition; `workspaceOf` says where the one of that number works. */
export async function startRuns(
  runtime: ReturnType<typeof openRuntime>,
  count: number,
  workspaceOf: (index: number) => string = () => '/work',
): Promise<readonly string[]> {
  await runtime.definitions.create({ source: definition, format: 'json' }).catch(() => null)
  const request = { definition: 'bench', task: null, stage: null, vars: {} }
  const started = Array.from({ length: count }, (_, index) =>
    runtime.start({ ...request, workspace: workspaceOf(index) }, { actor: agent, commandId: null }),
  )
  return (await Promise.all(started)).map(({ runId }) => runId)
}

const calls = [
  { tool: 'Read', input: { file_path: '/work/src/index.ts' } },
  { tool: 'Bash', input: { command: 'git status --short' } },
  { tool: 'Edit', input: { file_path: '/work/a.ts', old_string: 'a', new_string: 'b' } },
] as const

/** Judges one call and waits until that is kept; every call has an id, as hooks give it. */
export async function decideOne(
  runtime: ReturnType<typeof openRuntime>,
  runId: string,
  index: number,
): Promise<void> {
  const call = calls[index % calls.length] as (typeof calls)[number]
  const where = { host: 'claude', server: null, cwd: null, branch: null } as const
  const by = { actor: agent, commandId: `toolu_${runId}_${index}` }
  const { reply } = await runtime.send(runId, { kind: 'check', ...call, ...where }, by)
  if (reply.kind !== 'verdict' || reply.verdict !== 'allow') {
    throw new Error(`the bench's call was not allowed: ${JSON.stringify(reply)}`)
  }
}
