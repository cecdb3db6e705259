/**
 * Attempts to act with a credential that is not good for it, against a real daemon: none may have
 * an effect. See docs/adr/0023-scoped-credentials.md.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueCredential } from '../../src/client/issue-credential.ts'
import {
  type House,
  hookSecretIn,
  installHooksIn,
  isOurNode,
  openHouse,
  release,
} from '../../src/main/daemon.contract.ts'

const secrets = ['agent', 'person', 'other folder', 'user', 'none', 'wrong'] as const
type Secret = (typeof secrets)[number]

/** Of a hook's payload, and the folder for which it claims to speak. */
type Fields = { readonly at?: string; readonly [field: string]: unknown }

describe.runIf(isOurNode)('a credential that is not good for it', () => {
  let house: House
  beforeAll(async () => {
    house = openHouse()
    installHooksIn(house, '/elsewhere')
    writeFileSync(join(house.workspace, 'release.json'), JSON.stringify(release))
  })
  afterAll(() => house.close())

  const tokenOf = (name: string): string =>
    readFileSync(join(house.folder, `${name}.token`), 'utf8').trim()
  const hookSecretFor: Record<Secret, () => string> = {
    agent: () => tokenOf('agent'),
    person: () => tokenOf('person'),
    'other folder': () => hookSecretIn(house, '/elsewhere'),
    user: () => {
      const lines = readFileSync(join(house.folder, 'bin', 'hook.secrets'), 'utf8').split('\n')
      return lines.find((line) => line.startsWith('user: '))?.slice(6) ?? ''
    },
    none: () => '',
    wrong: () => 'x'.repeat(43),
  }
  const post = (secret: string, event: string, { at = house.workspace, ...more }: Fields = {}) =>
    fetch(`${house.note()?.http}/v1/hooks/claude`, {
      method: 'POST',
      headers: {
        ...(secret === '' ? {} : { authorization: `Bearer ${secret}` }),
        'content-type': 'application/json',
        'x-pawl-workspace': encodeURIComponent(at),
      },
      body: JSON.stringify({
        ...{ hook_event_name: event, session_id: 's1', cwd: house.workspace, ...more },
      }),
    })
  const start = async (): Promise<string> => {
    const { runId } = await house.json('start', 'release.json')
    return runId
  }
  const seqOf = async (runId: string): Promise<number> => {
    const headers = { authorization: `Bearer ${tokenOf('person')}` }
    const answer = await fetch(`${house.note()?.http}/v1/runs/${runId}`, { headers })
    return ((await answer.json()) as { head: { seq: number } }).head.seq
  }
  /** How many attempts the daemon says that it has refused. */
  const refusedCount = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${tokenOf('person')}` }
    const answer = await fetch(`${house.note()?.http}/v1/status`, { headers })
    const { found } = (await answer.json()) as { readonly found: readonly string[] }
    return Number(/good for: (\d+) refused/.exec(found.join('\n'))?.[1] ?? 0)
  }
  const call = {
    ...{ tool_name: 'Read', tool_input: { file_path: 'a.ts' }, tool_use_id: 't1' },
  }

  describe('posts no hook event', () => {
    const events = [
      ['PreToolUse', call],
      ['PostToolUse', { ...call, tool_response: {} }],
      ['SessionStart', {}],
      ['SessionEnd', {}],
      ['UserPromptSubmit', { prompt: 'go on' }],
      ['ConfigChange', {}],
    ] as const
    const attempts = events.flatMap(([event, more]) =>
      secrets.map((secret) => ({ event, more, secret })),
    )
    let runId = ''
    beforeAll(async () => {
      runId = await start()
      expect((await post(hookSecretIn(house), 'SessionStart')).status).toBe(200)
    })
    afterAll(async () => void (await house.json('cancel', runId)))
    test.each(attempts)('$event with the secret: $secret', async ({ event, more, secret }) => {
      const [before, refused] = [await seqOf(runId), await refusedCount()]
      expect((await post(hookSecretFor[secret](), event, more)).status).toBe(401)
      expect(await seqOf(runId)).toBe(before)
      expect(await refusedCount()).toBe(refused + 1)
    })
  })

  test('the secret of another folder does not speak for a session of this one', async () => {
    const runId = await start()
    await post(hookSecretIn(house), 'SessionStart')
    const secret = hookSecretIn(house, '/elsewhere')
    const before = await seqOf(runId)
    const judged = await post(secret, 'PreToolUse', { ...call, at: '/elsewhere' })
    expect(await judged.text()).toContain('of another folder')
    await post(secret, 'SessionEnd', { at: '/elsewhere' })
    expect(await seqOf(runId)).toBe(before)
    const { head } = await house.json('state', runId)
    expect(head.status).toBe('running')
    expect(await (await post(hookSecretIn(house), 'PreToolUse', call)).text()).not.toContain('deny')
    await house.json('cancel', runId)
  })

  describe('changes no run of another session', () => {
    const attempts = ['READY', 'pause', 'resume', 'cancel', 'spend', 'check', 'report'] as const
    type Attempt = (typeof attempts)[number]
    const request: Record<Attempt, readonly [path: string, body: object]> = {
      READY: ['signals', { name: 'READY' }],
      pause: ['pause', {}],
      resume: ['resume', {}],
      cancel: ['cancel', { reason: 'forged' }],
      spend: ['spending', { costMicroUsd: 10_000_000_000 }],
      check: ['calls', { tool: 'Read', input: { file_path: 'a' } }],
      report: ['reports', { ok: true, output: '{"tests":"green"}' }],
    }
    const api = async (path: string, token: string, body: object) => {
      const answer = await fetch(`${house.note()?.http}/v1/${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      return { status: answer.status, body: (await answer.json()) as Record<string, string> }
    }
    let runId = ''
    const who = {
      'agent.token': async () => tokenOf('agent'),
      'a credential of its own': async () =>
        (await api('credentials', tokenOf('agent'), {})).body.credential ?? '',
      'a credential of another run': async () => {
        const other = await house.json('start', 'release.json')
        const { credential } = (await house.json('credential', other.runId)) as never as {
          readonly credential: string
        }
        return credential
      },
      'the secret of the hooks': async () => hookSecretIn(house),
    } as const
    beforeAll(async () => {
      runId = await start()
      await post(hookSecretIn(house), 'SessionStart', { session_id: 's2' })
      await post(hookSecretIn(house), 'PreToolUse', { session_id: 's2', ...call })
    })
    const all = attempts.flatMap((attempt) =>
      (Object.keys(who) as (keyof typeof who)[]).map((name) => ({ attempt, name })),
    )
    test.each(all)('$attempt with $name', async ({ attempt, name }) => {
      const token = await who[name]()
      const [before, refused] = [await seqOf(runId), await refusedCount()]
      const [path, body] = request[attempt]
      const { status } = await api(`runs/${runId}/${path}`, token, body)
      expect(status).toBe(name === 'the secret of the hooks' ? 401 : 403)
      expect(await seqOf(runId)).toBe(before)
      expect(await refusedCount()).toBe(refused + 1)
    })
    const looks = ['jobs', 'jobs/proc_1', 'jobs/proc_1/logs', 'jobs/proc_1/wait'] as const
    test.each(looks)('nor is a call of it recorded by looking at %s', async (path) => {
      const [before, refused] = [await seqOf(runId), await refusedCount()]
      for (const name of ['agent.token', 'a credential of its own'] as const) {
        const headers = { authorization: `Bearer ${await who[name]()}` }
        const url = `${house.note()?.http}/v1/${path}?run_id=${runId}`
        expect((await fetch(url, { headers })).status).toBe(403)
      }
      expect(await seqOf(runId)).toBe(before)
      expect(await refusedCount()).toBe(refused + 2)
    })
    test.each(['agent', 'run'])('nor is a call reported as a gateway, by an %s', async (kind) => {
      const free = await house.json('start', 'release.json')
      const own = (await house.json('credential', free.runId)) as never as { credential: string }
      const token = kind === 'run' ? own.credential : await who['a credential of its own']()
      const before = await seqOf(free.runId)
      const posing = { workspace: house.workspace, runId: free.runId, holder: 'h' }
      const server = { server: 'fs', tool: 'read' }
      const asked = await api('gateway/calls', token, { ...posing, server, input: {}, waitMs: 0 })
      expect([asked.status, asked.body.code]).toEqual([403, 'NOT_PERMITTED'])
      const report = { holder: 'h', runId: free.runId, callId: 'c1', ok: true, output: '{"a":1}' }
      const told = await api('gateway/reports', token, { ...report, bytes: 7, costMicroUsd: 0 })
      expect(told.status).toBe(403)
      const launch = { scope: null, server: 'fs', launch: { command: 'x' }, tools: null }
      const seen = await api('gateway/pins', token, { workspace: house.workspace, ...launch })
      expect(seen.status).toBe(403)
      expect(await seqOf(free.runId)).toBe(before)
    })
    test('the doctor tells of all of it', async () => {
      const doctor = house.start(['doctor'])
      await doctor.ended
      expect(doctor.said()).toMatch(/noticed +attempts that no credential was good for: \d+/)
      expect(doctor.said()).toContain('NOT_PERMITTED')
    })
    test('a program that has a credential goes on with it, for that run alone', async () => {
      const [own, other] = [
        await house.json('start', 'release.json'),
        await house.json('start', 'release.json'),
      ]
      const { credential } = await house.json('credential', own.runId)
      const socket = join(house.folder, 'daemon.sock')
      const token = await issueCredential(socket, credential)
      expect((await api(`runs/${own.runId}/cancel`, token, {})).status).toBe(200)
      expect((await api(`runs/${other.runId}/cancel`, token, {})).status).toBe(403)
    })
    test('nor is a session of a host claimed or a run started for it', async () => {
      const token = await who['a credential of its own']()
      const free = await house.json('start', 'release.json')
      const wish = { session: 'claude:s2' }
      expect((await api(`runs/${free.runId}/claim`, token, wish)).status).toBe(403)
      const begun = { definition: 'release', ...wish }
      expect((await api('runs', token, begun)).status).toBe(403)
    })
  })

  test.each([
    ['with a zero', '/a\0b'],
    ['with a long name', `/${'x'.repeat(400)}`],
  ])('a folder %s is an error of the request, not of the daemon', async (_, workspace) => {
    const answer = await fetch(`${house.note()?.http}/v1/judge`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokenOf('agent')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ workspace, tool: 'Read', input: { file_path: 'a' } }),
    })
    expect(answer.status).toBeLessThan(500)
  })

  test('a hook that names no folder is refused', async () => {
    expect((await post(hookSecretIn(house), 'PreToolUse', { ...call, at: '' })).status).toBe(401)
  })
})
