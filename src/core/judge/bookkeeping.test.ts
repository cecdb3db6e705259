import { describe, expect, test } from 'vitest'
import { mainOf, openLeaf } from '../engine/family.ts'
import { machineOf, Walk } from '../engine/family-builder.contract.ts'
import { judgingContextOf } from '../engine/judging-context.ts'
import type { FreeTools } from '../hosts/host-descriptor.ts'
import { type HostId, hostIds, listIn, toolVocabularies } from '../hosts/registry.ts'
import type { JsonObject } from '../json.ts'
import { judgeWithoutRun } from '../judge-without-run.ts'
import type { Policy } from '../machine/machine.ts'
import { compilePolicy } from '../policy/compile-policy.ts'
import type { PolicyDefinition } from '../policy/schema.ts'
import { readCall } from '../tools/read-call.ts'
import { toolOf } from '../tools/tool-names.ts'
import { judge } from './judge.ts'

type Made = { readonly host: HostId; readonly tool: string; readonly input?: JsonObject }

function definitionOf(work: JsonObject): JsonObject {
  return {
    id: 'shop',
    initial: 'work',
    states: {
      work: { on: { DONE: 'done' }, ...work },
      done: { type: 'final' },
    },
  }
}

function policyOf(definition: PolicyDefinition): Policy {
  return compilePolicy(definition, '', 'policy')
}

/** What a stage says of a call, and the rule that decides. */
function ruling(work: JsonObject, made: Made, policy?: PolicyDefinition) {
  const walk = new Walk(definitionOf(work))
  return rulingIn(walk, made, policy)
}

function rulingIn(walk: Walk, { host, tool, input = {} }: Made, policy?: PolicyDefinition) {
  const { family, at } = walk
  const member = openLeaf(family, mainOf(family))
  const { machine, state } = member
  const policies = policy === undefined ? [] : [policyOf(policy)]
  const around = judgingContextOf(family, member, { policies, at })
  const call = readCall({ tool, input }, { machine, workspace: '/srv/shop', host })
  return judge(call, { machine, state, at, around })
}

const reading = { allowed_tools: ['Read'] }

type Group = Exclude<keyof FreeTools, 'serverField'>
const groups: readonly Group[] = ['notes', 'search', 'started', 'resources']
const freeTools = hostIds.flatMap((host) => {
  const { free } = toolVocabularies[host].tools
  if ('none' in free) return []
  return groups.flatMap((group) => listIn(free[group]).map((tool) => ({ host, group, tool })))
})

describe('bookkeeping of a host', () => {
  test.each(freeTools)('$host: $tool is free unless it is forbidden', (made) => {
    const { decision, by } = ruling(reading, made)
    expect(decision).toBe('allow')
    const rule = { document: `hosts/${made.host}`, pointer: `/tools/free/${made.group}` }
    expect(by.rule).toEqual(rule)
    expect(ruling({ disallowed_tools: [made.tool] }, made).by.code).toBe('TOOL_NOT_ALLOWED')
    expect(ruling(reading, made, { deny: [{ capability: made.tool }] }).decision).toBe('deny')
    expect(ruling(reading, made, { deny: [{ capability: '*' }] }).decision).toBe('deny')
    expect(ruling(reading, made, { ask: [{ capability: made.tool }] }).decision).toBe('ask')
  })

  test('none of it is a shell, an edit, a fetch or a new sub-agent', () => {
    for (const { host, tool } of freeTools) {
      expect(['other', 'mcp'], tool).toContain(toolOf(tool, host).act)
    }
  })

  const todos: readonly Made[] = [
    { host: 'claude', tool: 'TaskCreate' },
    { host: 'codex', tool: 'update_plan' },
    { host: 'gemini', tool: 'tracker_create_task' },
    { host: 'qwen', tool: 'task_create' },
    { host: 'copilot', tool: 'sql' },
    { host: 'opencode', tool: 'todowrite' },
  ]
  test.each(todos)('$host: a todo list is meant by `TodoWrite` and by the capability', (made) => {
    expect(ruling({ disallowed_tools: ['TodoWrite'] }, made).decision).toBe('deny')
    expect(ruling(reading, made, { deny: [{ capability: 'todo' }] }).decision).toBe('deny')
    expect(ruling({ allowed_tools: ['TodoWrite'] }, made).by.rule?.document).toBe('shop')
  })

  test('it is free where a policy denies all that it does not name, but not from servers', () => {
    const closed: PolicyDefinition = { allow: [{ capability: 'read' }], default: 'deny' }
    for (const made of freeTools) {
      const wanted = made.group === 'resources' ? 'deny' : 'allow'
      expect(ruling(reading, made, closed).decision, made.tool).toBe(wanted)
    }
    const call = readCall(
      { tool: 'TodoWrite', input: {} },
      { machine: machineOf(definitionOf({})), workspace: '/srv/shop', host: 'claude' },
    )
    expect(judgeWithoutRun(call, [policyOf(closed)]).verdict).toBe('allow')
  })

  test('it does not use up the calls of a stage or run, and passes when they are used', () => {
    const limited = { ...definitionOf({ ...reading, max_iterations: 1 }), meta: { calls_max: 1 } }
    const walk = new Walk(limited)
    const machine = machineOf(limited)
    const todo = readCall(
      { tool: 'TodoWrite', input: { todos: [] } },
      { machine: machine, workspace: '/srv/shop', host: 'claude' },
    )
    walk.send({ type: 'CheckCall', call: todo })
    expect(walk.state().counts.calls).toBe(0)
    expect(walk.state().callsCount).toBe(0)
    const read = { tool: 'Read', input: { file_path: 'a' } }
    walk.send({
      type: 'CheckCall',
      call: readCall(read, { machine: machine, workspace: '/srv/shop', host: 'claude' }),
    })
    expect(walk.state().counts.calls).toBe(1)
    const listing: Made = { host: 'claude', tool: 'ListMcpResourcesTool' }
    expect(rulingIn(walk, { host: 'claude', tool: 'TodoWrite' }).decision).toBe('allow')
    expect(rulingIn(walk, listing).by.code).toBe('CALLS_EXHAUSTED')
  })
})

const judged: readonly Made[] = [
  { host: 'claude', tool: 'Agent', input: { prompt: 'x' } },
  { host: 'claude', tool: 'Workflow', input: { script: 'x' } },
  { host: 'claude', tool: 'SendMessage', input: { to: 'x', message: 'x' } },
  { host: 'claude', tool: 'Monitor', input: { command: 'rm x' } },
  { host: 'claude', tool: 'EnterWorktree' },
  { host: 'claude', tool: 'CronCreate' },
  { host: 'claude', tool: 'SendUserFile' },
  { host: 'claude', tool: 'Skill', input: { skill: 'deploy' } },
  { host: 'claude', tool: 'Skill', input: { skill: 'pawl:deploy' } },
  { host: 'claude', tool: 'Skill', input: { skill: 'pawl-x' } },
  { host: 'claude', tool: 'Skill', input: { skill: 'pawl', name: 'deploy' } },
  { host: 'claude', tool: 'Skill', input: { skill: ['pawl'], command: 'deploy' } },
  { host: 'claude', tool: 'Skill' },
  { host: 'claude', tool: 'toolsearch' },
  { host: 'claude', tool: 'mcp__notes__TodoWrite' },
  { host: 'claude', tool: 'mcp__x__ToolSearch' },
  { host: 'codex', tool: 'spawn_agent', input: { message: 'x' } },
  { host: 'codex', tool: 'collaborationspawn_agent', input: { message: 'x' } },
  { host: 'codex', tool: 'write_stdin', input: { session_id: 1, chars: 'rm x\n' } },
  { host: 'codex', tool: 'request_plugin_install' },
  { host: 'codex', tool: 'ToolSearch' },
  { host: 'gemini', tool: 'wait_agent' },
  { host: 'gemini', tool: 'invoke_agent' },
  { host: 'gemini', tool: 'mcp_notes_write_todos' },
  { host: 'qwen', tool: 'agent', input: { prompt: 'x' } },
  { host: 'qwen', tool: 'workflow', input: { script: "agent('x')" } },
  { host: 'qwen', tool: 'send_message', input: { to: 'another session', message: 'x' } },
  { host: 'qwen', tool: 'tool_call', input: { name: 'todo_write', arguments: {} } },
  { host: 'qwen', tool: 'exec', input: { source: 'x' } },
  { host: 'copilot', tool: 'Agent', input: { prompt: 'x' } },
  { host: 'copilot', tool: 'session_store_sql', input: { query: 'x' } },
  { host: 'opencode', tool: 'task' },
  { host: 'pawl', tool: 'TodoWrite' },
  { host: 'mcp', tool: 'TodoWrite' },
]

test.each(judged)('$host: $tool $input needs an entry as ever', (made) => {
  expect(ruling(reading, made).decision).toBe('deny')
})

test('a tool of a server is no bookkeeping, whatever it is called', () => {
  const machine = machineOf(definitionOf(reading))
  const where = { machine, workspace: '/srv/shop', host: 'gemini' } as const
  const server = { server: 'notes', tool: 'update_topic' }
  const call = readCall({ tool: 'update_topic', input: {} }, { ...where, server })
  expect(call.bookkeeping).toBeUndefined()
})

const deniedAgents: readonly Made[] = [
  { host: 'claude', tool: 'Workflow' },
  { host: 'claude', tool: 'Task' },
  { host: 'codex', tool: 'collaborationspawn_agent' },
]
test.each(deniedAgents)('a policy that denies `agent` means $tool of $host', (made) => {
  expect(ruling({}, made, { deny: [{ capability: 'agent' }] }).by.code).toBe('POLICY_DENIED')
  expect(ruling({ disallowed_tools: ['Agent'] }, made).by.code).toBe('TOOL_NOT_ALLOWED')
})

describe("what leads to Pawl's own tools", () => {
  const ways: readonly Made[] = [
    { host: 'claude', tool: 'ToolSearch', input: { query: 'select:mcp__pawl__pawl_transition' } },
    { host: 'codex', tool: 'tool_search', input: { query: 'pawl' } },
    { host: 'claude', tool: 'Skill', input: { skill: 'pawl' } },
    { host: 'claude', tool: 'Skill', input: { skill: 'mcp__pawl__release', args: 'x' } },
    { host: 'gemini', tool: 'activate_skill', input: { name: 'pawl' } },
    { host: 'qwen', tool: 'tool_search', input: { query: 'select:mcp__pawl__pawl_transition' } },
    { host: 'qwen', tool: 'skill', input: { skill: 'pawl' } },
    { host: 'copilot', tool: 'skill', input: { skill: 'pawl' } },
    { host: 'opencode', tool: 'skill', input: { name: 'pawl' } },
  ]
  test.each(ways)('$host: $tool $input passes in a run that rests', (made) => {
    expect(ruling(reading, made).decision).toBe('allow')
    const walk = new Walk(definitionOf(reading))
    walk.send({ type: 'PauseRun', release: false })
    expect(walk.state().status).toBe('paused')
    expect(rulingIn(walk, made).decision).toBe('allow')
    expect(rulingIn(walk, { host: 'claude', tool: 'TodoWrite' }).decision).toBe('deny')
    const denying = new Walk(definitionOf({ disallowed_tools: [made.tool] }))
    denying.send({ type: 'PauseRun', release: false })
    expect(rulingIn(denying, made).decision).toBe('deny')
  })
})

describe('resources of MCP servers', () => {
  const read = (uri: string, more: JsonObject = {}): Made => ({
    host: 'claude',
    tool: 'ReadMcpResourceTool',
    input: { server: 'docs', uri, ...more },
  })
  const codes = (made: Made, policy?: PolicyDefinition) => ruling(reading, made, policy).by.code

  test('an address of the server itself and a file of the workspace are read', () => {
    expect(ruling(reading, read('docs://guide/start')).decision).toBe('allow')
    expect(ruling(reading, read('file:///srv/shop/README.md')).decision).toBe('allow')
  })

  test.each([
    ['file:///etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['/etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['file:///srv/shop/../other/x', 'PATH_OUT_OF_SCOPE'],
    ['file:///srv/shop/%2e%2e/other/x', 'PATH_OUT_OF_SCOPE'],
    ['files:file:///etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['FILE:///etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['file:/etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['FILE:/etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['file:%2fetc%2fpasswd', 'PATH_OUT_OF_SCOPE'],
    ['file://%2fetc%2fpasswd', 'PATH_OUT_OF_SCOPE'],
    ['file://localhost/etc/passwd', 'PATH_OUT_OF_SCOPE'],
    ['file:///srv/shop/.%70awl/person.token', 'PATH_PROTECTED'],
    ['file:///home/me/.pawl/person.token', 'PATH_PROTECTED'],
    ['file:///srv/shop/.claude/settings.local.json', 'PATH_PROTECTED'],
  ])('%s is out of reach', (uri, code) => {
    expect(codes(read(uri))).toBe(code)
  })

  test('an address that is no text is not judged', () => {
    const made: Made = { host: 'claude', tool: 'ReadMcpResourceTool', input: { uri: ['x'] } }
    expect(ruling(reading, made).decision).toBe('deny')
  })

  test('a policy that denies servers, or this one, denies their resources', () => {
    expect(codes(read('docs://x'), { deny: [{ capability: 'mcp:*' }] })).toBe('POLICY_DENIED')
    expect(codes(read('docs://x'), { deny: [{ capability: 'mcp:docs:*' }] })).toBe('POLICY_DENIED')
    expect(codes(read('docs://x'), { deny: [{ capability: 'mcp:mail:*' }] })).toBe(null)
  })

  test('a call that does not say which server it means may mean any', () => {
    const unnamed: readonly Made[] = [
      { host: 'gemini', tool: 'read_mcp_resource', input: { uri: 'mail://1', server: 'docs' } },
      { host: 'qwen', tool: 'read_mcp_resource', input: { uri: 'mail://1', server: 'docs' } },
      { host: 'claude', tool: 'ListMcpResourcesTool' },
      { host: 'claude', tool: 'ReadMcpResourceTool', input: { server: '', uri: 'mail://1' } },
    ]
    for (const made of unnamed) {
      expect(ruling(reading, made).decision).toBe('allow')
      expect(ruling(reading, made, { deny: [{ capability: 'mcp:mail:*' }] }).decision).toBe('deny')
      expect(ruling(reading, made, { ask: [{ capability: 'mcp:mail:*' }] }).decision).toBe('ask')
    }
  })
})
