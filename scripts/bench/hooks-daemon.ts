/**
 * A daemon to ask, in a process of its own: `node hooks-daemon.ts` with PAWL_HOME set. Says where
 * it is in one line of JSON and ends with its input.
 * The desk that answers hooks is not part of the daemon yet, so `answer` stands in for it: the same
 * durable decision on SQLite, in the words of one host. Once `pawl serve` opens the hook door, this
 * file becomes: start the daemon, start a run, say `Subject`. Nothing else knows the difference.
 */
import { cwd, env, getuid, platform, stdin, stdout } from 'node:process'
import { openApi } from '../../src/doors/api/api.ts'
import { openHookDoor } from '../../src/doors/hook/open-hook-door.ts'
import type { AnswerHook } from '../../src/doors/hook/question.ts'
import { openHttpDoor } from '../../src/doors/http/open-http-door.ts'
import { openSocketDoor } from '../../src/doors/socket/open-socket-door.ts'
import { findHome, openHome } from '../../src/main/home.ts'
import { ensureTokens } from '../../src/main/tokens.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { runtimeOn, startRuns } from './record-runs.ts'

/** Where and how a host asks. */
export type Subject = {
  readonly runId: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Whether the address takes the payload of a host as it is, or the fields of a call. */
  readonly takes: 'payload' | 'call'
}

const home = findHome({ env, platform, userFolder: cwd, cwd: cwd(), uid: getuid?.() ?? 0 })
openHome(home)
const { agent } = ensureTokens(home)
const runtime = runtimeOn(openSqliteStore({ path: home.database }))
const [runId = ''] = await startRuns(runtime, 1)
const api = openApi({
  runtime,
  tokens: (presented) => (presented === agent ? { role: 'agent', name: 'agent' } : null),
  about: { version: 'bench', found: [] },
  stop: () => undefined,
})

const answer: AnswerHook = async ({ payload, runId }) => {
  const { tool_name: tool, tool_input: input, tool_use_id: commandId } = JSON.parse(payload)
  const where = { host: 'claude', server: null, workspace: null, branch: null } as const
  const by = { actor: { kind: 'agent', name: 'agent' }, commandId } as const
  const { reply } = await runtime.send(runId ?? '', { kind: 'check', tool, input, ...where }, by)
  const verdict = reply.kind === 'verdict' ? reply.verdict : 'deny'
  const told = { hookEventName: 'PreToolUse', permissionDecision: verdict }
  return { exit: 0, stdout: JSON.stringify({ hookSpecificOutput: told }), stderr: '' }
}

const http = await openHttpDoor({ api, host: '127.0.0.1', port: 0 })
const authenticate = (presented: string): boolean => presented === agent
const hooks = await openHookDoor({ answer, authenticate, path: home.hookSocket })
const socket = await openSocketDoor({ api, path: home.socket })
const subject: Subject = {
  runId,
  url: `${http.url}/v1/runs/${runId}/calls`,
  headers: { authorization: `Bearer ${agent}`, 'content-type': 'application/json' },
  takes: 'call',
}
stdout.write(`${JSON.stringify(subject)}\n`)
stdin.resume()
stdin.on('end', async () => {
  await Promise.all([http.close(), hooks.close(), socket.close()])
  await runtime.close()
})
