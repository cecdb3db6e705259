import { expect, test } from 'vitest'
import type { JsonObject } from '../core/json.ts'
import type { CallOutcome } from './call-lifecycle.ts'
import {
  type CallToolContext,
  callTool,
  declaredBy,
  forwardUnguarded,
  invalidParams,
  type ToolCallResult,
} from './call-tool.ts'
import type { CatalogueTarget } from './catalogue.ts'
import { codes, messageText, tooDeep } from './json-rpc.ts'
import type { McpUpstream, UpstreamAnswer, UpstreamResult } from './upstream.ts'

type Begun = { readonly params: JsonObject; readonly done: UpstreamResult; left: boolean }

/** A server whose answers the test gives, behind a context that lets through what it is told to. */
function openToolBench(
  more: { isAccepted?: boolean; isConnected?: boolean; isFree?: boolean } = {},
) {
  const { isAccepted = true, isConnected = true, isFree = true } = more
  const begun: Begun[] = []
  const begin: McpUpstream['begin'] = (_method, params, done) => {
    const one: Begun = { params, done, left: false }
    begun.push(one)
    return () => {
      one.left = true
    }
  }
  const server = { name: 'files', upstream: { isConnected: () => isConnected, begin } }
  const knownTool = (name: string) =>
    name === 'files__read'
      ? ({ server, name: 'read', isAccepted } as unknown as CatalogueTarget)
      : null
  // WHY the cast: nothing else of them is asked for.
  const context = {
    catalogue: { knownTool },
    judgeFreely: () => isFree,
  } as unknown as CallToolContext
  return { context, begun }
}

const call = { name: 'files__read', arguments: { path: 'a.txt' } }

test('a call that nobody has a say in is passed on at once, and so is its answer', () => {
  const { context, begun } = openToolBench()
  const told: ToolCallResult[] = []
  const params = { ...call, _meta: { progressToken: 7 } }
  expect(forwardUnguarded(context, params, (one) => told.push(one))).not.toBeNull()
  expect(begun[0]?.params).toEqual({ ...params, name: 'read' })
  begun[0]?.done({ kind: 'result', result: { content: [] } })
  expect(told).toEqual([{ result: { content: [] } }])
})

test.each([
  ['without arguments', { name: call.name }, {}],
  ['that wants to be a task', { ...call, task: {} }, call.arguments],
  ['with a mark that nobody can prove', { ...call, arguments: { a: 1, _pawl: {} } }, { a: 1 }],
])('a call %s keeps its place among the others', (_what, params, args) => {
  const { context, begun } = openToolBench()
  expect(forwardUnguarded(context, params, () => undefined)).not.toBeNull()
  expect(begun[0]?.params).toEqual({ name: 'read', arguments: args })
})

test('what nests too deep for a text is told as such, and throws nothing', () => {
  let deep: JsonObject = {}
  for (let depth = 0; depth < 100_000; depth += 1) deep = { deep }
  expect(messageText({ jsonrpc: '2.0', id: 7, result: deep })).toBeNull()
  expect(tooDeep(7)).toMatchObject({ id: 7, error: { code: codes.internal } })
})

const failure = { kind: 'failed', reason: '', hint: '' } as const
const isError: UpstreamAnswer = { kind: 'result', result: { content: [], isError: true } }
const outcomes: readonly (readonly [string, UpstreamAnswer, object])[] = [
  ['succeeds', { kind: 'result', result: { content: [] } }, { ok: true }],
  ['answers that it failed', isError, { ok: false }],
  ['answers with an error', { kind: 'error', error: invalidParams('x').error }, { ok: false }],
  ['does not answer', { ...failure, code: 'UPSTREAM_TIMEOUT' }, { ok: false }],
  ['is not heard any more', { kind: 'cancelled' }, { ok: false }],
  ['is not asked', { ...failure, code: 'TOOL_UNPINNED' }, { ok: false, wasNotMade: true }],
]

test.each(outcomes)('a call whose server %s is reported', async (_what, answer, reported) => {
  const reports: CallOutcome[] = []
  const upstream = { ensure: async () => null, request: async () => answer }
  const server = { name: 'files', upstream, costMicroUsd: () => 0, tools: () => new Map() }
  const findTool = async () => ({ server, name: 'read', isAccepted: true })
  const report = (one: CallOutcome): void => void reports.push(one)
  const judge = async () => ({ kind: 'go', input: {}, bytesLeft: null, report })
  const context = { catalogue: { findTool }, judge } as unknown as CallToolContext
  const { signal } = new AbortController()
  const told = await callTool(context, { params: call, signal, progress: () => undefined })
  if (told !== null && 'after' in told) told.after?.(0)
  const nothing = { output: null, bytes: 0, costMicroUsd: 0 }
  expect(reports).toEqual([{ ...nothing, ...reported }])
})

test('whoever leaves says so to the server, and is told nothing', () => {
  const { context, begun } = openToolBench()
  const told: ToolCallResult[] = []
  const leave = forwardUnguarded(context, call, (one) => told.push(one))
  leave?.()
  expect(begun[0]?.left).toBe(true)
  begun[0]?.done({ kind: 'cancelled' })
  expect(told).toEqual([null])
})

test('a server that fails meanwhile is told as a result that models read', () => {
  const { context, begun } = openToolBench()
  const told: ToolCallResult[] = []
  forwardUnguarded(context, call, (one) => told.push(one))
  const failed: UpstreamAnswer = { kind: 'failed', code: 'UPSTREAM_LOST', reason: 'gone', hint: '' }
  begun[0]?.done(failed)
  expect(told).toMatchObject([{ result: { isError: true } }])
})

test.each([
  ['has no name', { arguments: {} }, {}],
  ['has a name that is no text', { name: 3, arguments: {} }, {}],
  ['is of a tool that is not known', { ...call, name: 'files__write' }, {}],
  ['has arguments that are a list', { name: call.name, arguments: [] }, {}],
  ['says whose it is', { ...call, arguments: { _pawl: { session: 's', proof: 'p' } } }, {}],
  ['is of a tool that waits for a person', call, { isAccepted: false }],
  ['is for a server that is away', call, { isConnected: false }],
  ['has to be asked about', call, { isFree: false }],
])('a call that %s is looked at with more care', (_what, params, more) => {
  const { context, begun } = openToolBench(more)
  expect(forwardUnguarded(context, params, () => undefined)).toBeNull()
  expect(begun).toEqual([])
})

test.each([
  ['nothing', undefined, {}],
  ['no hint', {}, {}],
  ['a title only', { title: 'Read' }, {}],
  ['that it reads', { readOnlyHint: true }, { changes: false }],
  ['that it does not only read', { readOnlyHint: false }, { changes: true }],
  ['that it destroys', { destructiveHint: true }, { changes: true }],
  ['both', { readOnlyHint: true, destructiveHint: true }, { changes: true }],
  ['no boolean', { readOnlyHint: 'true' }, {}],
])('annotations that say %s are declared as such', (_what, annotations, declared) => {
  expect(declaredBy(annotations === undefined ? {} : { annotations })).toEqual(declared)
})
