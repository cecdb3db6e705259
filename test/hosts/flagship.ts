/**
 * A bug in a small project, and how the model of each host works through `tdd-bug-fix` with it:
 * by what its host offers and tells it. Deferred tools are loaded before they are used, files are
 * read and searched by the shell where there is no tool for it, and a sub-agent is asked.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProvableHostId } from '../../src/core/hosts/registry.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { drive, type Transcript } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { turnOf } from '../../src/prove/hosts/tool-calls.ts'
import type { Lane, Script, ScriptedCall, Turn } from '../../src/prove/model/script.ts'
import { putFile, type SandboxEnv } from '../../src/prove/sandbox-env.ts'

/** What a host's model does beside the acts that every driver knows. */
type Habits = {
  /** Loads what is deferred, as the host tells its model. */
  readonly load: readonly Turn[]
  /** Writes down what it is about to do. */
  readonly note: readonly Turn[]
  readonly search: (pattern: string) => ScriptedCall
  /** Has a sub-agent do something, and hears of its end. */
  readonly delegate: (prompt: string) => readonly Turn[]
  /** Calls a tool that was held back; left out: like any other. */
  readonly reach?: (call: ScriptedCall) => ScriptedCall
}

const { claude, cline, codex, copilot, gemini, kimi, opencode, pi, qwen } = drivers

function codexSearch(query: string): ScriptedCall {
  return { name: 'tool_search', kind: 'search', input: { query } }
}

function codexAgent(name: string, input: JsonObject): ScriptedCall {
  return { name, namespace: 'multi_agent_v1', input }
}

/** WHY until: a server needs a moment before the search knows its tools. */
function findPawl(search: ScriptedCall): Turn {
  return { tools: [search], until: 'pawl_get_state' }
}

const habits: Readonly<Record<ProvableHostId, Habits>> = {
  claude: {
    load: [turnOf({ name: 'ToolSearch', input: { query: 'select:TaskCreate', max_results: 5 } })],
    note: [turnOf({ name: 'TaskCreate', input: { subject: 'fix', description: 'fix add' } })],
    search: (pattern) => claude.toolCalls.shell(`grep -rn "${pattern}" src`),
    delegate: (prompt) => [turnOf(claude.toolCalls.agent(prompt))],
  },
  codex: {
    load: [findPawl(codexSearch('pawl')), turnOf(codexSearch('spawn sub-agent'))],
    note: [turnOf({ name: 'create_goal', input: { objective: 'fix add' } })],
    search: (pattern) => codex.toolCalls.shell(`grep -rn "${pattern}" src | head -20`),
    delegate: (prompt) => [
      turnOf(codex.toolCalls.agent(prompt)),
      turnOf(codexAgent('wait_agent', { targets: [{ $last: agentId }], timeout_ms: 30_000 })),
      turnOf(codexAgent('close_agent', { target: { $last: agentIdInStatus } })),
    ],
  },
  gemini: {
    load: [],
    note: [
      turnOf({ name: 'update_topic', input: { strategic_intent: 'fix add' } }),
      turnOf({
        name: 'write_todos',
        input: { todos: [{ description: 'fix add', status: 'in_progress' }] },
      }),
    ],
    search: (pattern) => ({ name: 'grep_search', input: { pattern } }),
    delegate: (prompt) => [turnOf(gemini.toolCalls.agent(prompt))],
  },
  qwen: {
    load: [findPawl({ name: 'tool_search', input: { query: 'pawl' } })],
    note: [turnOf({ name: 'get_goal', input: {} })],
    search: (pattern) => ({ name: 'grep_search', input: { pattern } }),
    delegate: (prompt) => [turnOf(qwen.toolCalls.agent(prompt))],
    reach: ({ name, input }) => ({ name: 'tool_call', input: { name, arguments: input } }),
  },
  copilot: {
    load: [],
    note: [
      turnOf({
        name: 'sql',
        input: { description: 'note', query: "INSERT INTO todos(id, title) VALUES ('a', 'fix')" },
      }),
    ],
    search: (pattern) => ({ name: 'grep', input: { pattern } }),
    delegate: (prompt) => [turnOf(copilot.toolCalls.agent(prompt))],
  },
  cline: {
    load: [],
    note: [turnOf({ name: 'team_mission_log', input: { kind: 'progress', summary: 'fix add' } })],
    search: (pattern) => ({ name: 'search_codebase', input: { queries: [pattern] } }),
    delegate: (prompt) => [turnOf(cline.toolCalls.agent(prompt))],
  },
  kimi: {
    load: [],
    note: [
      turnOf({ name: 'TodoList', input: { todos: [{ title: 'fix add', status: 'pending' }] } }),
    ],
    search: (pattern) => ({ name: 'Grep', input: { pattern } }),
    delegate: (prompt) => [turnOf(kimi.toolCalls.agent(prompt))],
  },
  // It has neither a list of tasks nor sub-agents.
  pi: {
    load: [],
    note: [],
    search: (pattern) => pi.toolCalls.shell(`grep -rn "${pattern}" src`),
    delegate: () => [],
  },
  opencode: {
    load: [],
    note: [
      turnOf({
        name: 'todowrite',
        input: { todos: [{ content: 'fix add', status: 'in_progress', priority: 'high' }] },
      }),
    ],
    search: (pattern) => ({ name: 'grep', input: { pattern } }),
    delegate: (prompt) => [turnOf(opencode.toolCalls.agent(prompt))],
  },
}

/** How Codex names a sub-agent in what it tells. */
const agentId = '"agent_id":"([^"]+)"'
const agentIdInStatus = '"([0-9a-f]{8}-[0-9a-f-]{27})"'

/** The words by which the model is known to be the sub-agent. */
const subPrompt = 'LOOK-INTO-ADD: read src/add.mjs and say what is wrong'

const source = 'export function add(a, b) {\n  return a - b\n}\n'
/** The line that mends the bug. */
export const fixedLine = '  return a + b'
const test = `import assert from 'node:assert'
import { test } from 'node:test'
import { add } from '../src/add.mjs'

test('adds', () => assert.equal(add(1, 2), 3))
`

/** The project with its bug, as somebody has committed it. */
export function putBug(world: SandboxEnv): void {
  const scripts = { test: 'node --test', lint: 'node --check src/add.mjs' }
  putFile(world, 'package.json', JSON.stringify({ name: 'sum', private: true, scripts }))
  putFile(world, 'BUG.md', '# add(1, 2) is -1\n')
  putFile(world, 'src/add.mjs', source)
  // Some hosts make no folder for a new file.
  putFile(world, 'test/README.md', '# Tests\n')
  const git = (...args: readonly string[]): void => {
    execFileSync('git', args, { cwd: world.project, stdio: 'ignore' })
  }
  git('config', 'user.email', 'ada@example.org')
  git('config', 'user.name', 'Ada')
  git('add', '-A')
  git('commit', '-qm', 'sum')
}

/** How a session differs from one without a refusal. */
export type FlagshipPlan = {
  /** What the model tries before it has understood anything. */
  readonly early?: readonly Turn[]
  /** What it changes after the person refused; absent: nobody refuses. */
  readonly rework?: { readonly before: string; readonly after: string }
}

/** All that the model does, from the report to the commit. */
export function flagshipScript(world: SandboxEnv, plan: FlagshipPlan = {}): Script {
  const { host, project } = world
  const { shell, read, write, patch, edit, mcp, agentEnd } = drivers[host].toolCalls
  const { load, note, search, delegate, reach = (call) => call } = habits[host]
  const readFile = (name: string): ScriptedCall =>
    read === null ? shell(`cat ${name}`) : read(join(project, name))
  const own = (tool: string, input: JsonObject = {}): Turn =>
    turnOf(reach(mcp({ server: 'pawl', tool, input })))
  const send = (event: string, data: JsonObject = {}): Turn =>
    own('pawl_transition', { event, data })
  const testFile = 'test/add.test.mjs'
  const writeTest = write?.(join(project, testFile), test) ?? patch?.(testFile, patchLines(test))
  if (writeTest === undefined) throw new Error(`${host} can not write`)
  // Codex reports no exit codes, so there Pawl runs the tests, by a tool that is searched for.
  const tests =
    host === 'codex'
      ? [turnOf(codexSearch('process_run')), own('process_run', { command: 'npm test' })]
      : [turnOf(shell('npm test'))]
  const sub: Lane = {
    name: 'sub',
    match: 'LOOK-INTO-ADD',
    turns: [turnOf(readFile('src/add.mjs')), agentEnd],
  }
  const change = (before: string, after: string): readonly Turn[] =>
    edit({ path: join(project, 'src/add.mjs'), before, after })
  const { early = [], rework } = plan
  const clean: readonly Turn[] = [turnOf(shell('npm run lint')), send('CLEAN')]
  const ask: readonly Turn[] = [send('MERGE'), own('pawl_wait')]
  const again: readonly Turn[] =
    rework === undefined
      ? []
      : [send('REWORK'), ...change(rework.before, rework.after), ...tests, send('GREEN')]
  return {
    prompt: 'Fix the bug in BUG.md.',
    lanes: delegate(subPrompt).length === 0 ? [] : [sub],
    turns: [
      ...load,
      ...note,
      ...early,
      own('pawl_get_state'),
      turnOf(readFile('BUG.md')),
      turnOf(search('add')),
      ...delegate(subPrompt),
      send('UNDERSTOOD', { bug: 'add subtracts', suspect: 'src/add.mjs' }),
      turnOf(writeTest),
      ...tests,
      send('RED', { failure: 'Expected values to be strictly equal: -1 !== 3' }),
      ...change('  return a - b', fixedLine),
      ...tests,
      send('GREEN'),
      ...clean,
      turnOf(shell('git --no-pager diff')),
      turnOf(shell('git status --short')),
      ...ask,
      ...again,
      ...(rework === undefined ? [] : [...clean, ...ask]),
      turnOf(shell('git add src test')),
      turnOf(shell('git commit -m "Fix add, which subtracted"')),
      send('DONE'),
      { text: 'The bug is fixed.' },
    ],
  }
}

const looksMax = 200

/** Waits for the question, and says yes. */
async function approveNext(world: SandboxEnv, run: string): Promise<void> {
  for (let looks = 0; looks < looksMax; looks += 1) {
    const { items } = JSON.parse(await world.mustPawl('approvals', run, '--json'))
    for (const { id } of items) await world.mustPawl('approve', id)
    if (items.length > 0) return
    await sleep(200)
  }
}

/** A session that works through a run, with a person who agrees to the merge. */
export async function workFlagship(
  world: SandboxEnv,
  run: string,
  script: Script,
): Promise<Transcript> {
  let approved: Promise<void> | null = null
  const transcript = await drive({
    ...{ ...world, script, timeoutMs: 240_000 },
    onTurn: ({ calls }) => {
      if (JSON.stringify(calls).includes('pawl_wait')) approved = approveNext(world, run)
    },
  })
  await approved
  return transcript
}

/** The driver's patch takes one line, and each of the others needs its own mark. */
function patchLines(text: string): string {
  return text.trimEnd().split('\n').join('\n+')
}
