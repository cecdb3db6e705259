/** Handlers of the operations for agents that are not about a run. */
import { randomUUID } from 'node:crypto'
import { own } from '../../core/json.ts'
import { byProcess, callForProcess, scopeOf } from '../../runtime/calls/routine-calls.ts'
import type { agentOperations } from './agent-operations.ts'
import { refuseForeignRun } from './agent-runs.ts'
import {
  accepted,
  byOf,
  callAnswerOf,
  done,
  failedAnswer,
  type Handler,
  invalidRequest,
  noOffer,
  offered,
  offerOf,
} from './handler-context.ts'
import { parse } from './parse-input.ts'
import { problem } from './problem.ts'
import { processTools } from './process-tools.ts'

type AgentHandlers = { readonly [Name in keyof typeof agentOperations]: Handler<Name> }

export const agentHandlers: AgentHandlers = {
  'process.call': async (context, { runId, branch, tool, input }) => {
    const known = own(processTools, tool)
    if (known === undefined) return failedAnswer(noTool(tool))
    const parsed = parse(known.input, input)
    if (!parsed.ok) return parsed
    const by = { ...byOf(context), commandId: context.commandId ?? randomUUID() }
    const call = { runId, branch: branch ?? null, tool, input }
    const { answer, value } = await callForProcess(
      context.runtime,
      // WHY the cast: the tool's own schema has read it.
      { ...call, act: (place) => known.act(context.runtime, place, parsed.output as never) },
      by,
    )
    return done({ ...callAnswerOf(answer), value })
  },
  'process.step': async (context, { runId, branch, answer, state, note }) => {
    await scopeOf(context.runtime, runId)
    const utterance = {
      kind: 'message',
      name: answer,
      data: note === undefined ? null : { note },
      stage: state ?? null,
      goTo: null,
    } as const
    const intent = { kind: 'say', utterance, branch: branch ?? null } as const
    return accepted(await context.runtime.send(runId, intent, byProcess(byOf(context))))
  },
  'memories.list': async ({ runtime }, { prefix, ...whose }) => {
    const scope = { workspace: whose.workspace, definition: whose.definition ?? null }
    return done({ items: await runtime.memories.list(scope, prefix) })
  },
  'memories.delete': async ({ runtime }, { key, workspace, definition }) => {
    const scope = { workspace, definition: definition ?? null }
    return done({ deleted: await runtime.memories.remove(scope, key) })
  },
  'tasks.list': async ({ runtime }, { workspace, definition, status }) => {
    const scope = { workspace, definition: definition ?? null }
    return done({ items: await runtime.tasks.list(scope, status ?? null) })
  },
  'drafts.create': async ({ runtime, actor }, input) => {
    const offer = offerOf(input)
    if (offer === null) return failedAnswer(noOffer)
    const kept = await runtime.drafts.offer(offer, { actor })
    if (!kept.ok) return failedAnswer(invalidRequest(kept.findings))
    return done({ draft: kept.value, findings: kept.findings })
  },
  'drafts.list': async ({ runtime }) => done({ items: await runtime.drafts.list() }),
  'drafts.activate': async ({ runtime }, { id }) => offered(await runtime.drafts.activate(id)),
  'drafts.delete': async ({ runtime }, { id }) => {
    await runtime.drafts.remove(id)
    return done({ deleted: true })
  },
  'approvals.elicited': async (context, { id, client, ...answer }) => {
    const { about, runtime, commandId, agent, agents, peer } = context
    if (!about.elicitation) {
      const hint =
        'a person can run `pawl approve`, or set `approvals.elicitation` to true in config.json'
      return failedAnswer(
        problem('NOT_PERMITTED', { detail: 'decisions from MCP clients are switched off', hint }),
      )
    }
    if (agent !== null && agents !== null) {
      const { runId } = await runtime.readApproval(id)
      const place = { runId, branch: null }
      const foreign = await refuseForeignRun({ runtime, agents }, agent, place)
      if (foreign !== null) return failedAnswer(foreign)
    }
    const actor = { kind: 'person', name: `elicited-by-${client}` } as const
    const decision = { ...answer, edits: null, peer }
    return accepted(await runtime.resolve(id, decision, { actor, commandId }))
  },
}

function noTool(tool: string) {
  const names = Object.keys(processTools).map((name) => `\`${name}\``)
  const detail = `there is no process tool \`${tool}\``
  return problem('REQUEST_INVALID', { detail, hint: `use one of ${names.join(', ')}` })
}
