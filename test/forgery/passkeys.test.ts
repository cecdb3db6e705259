/**
 * Attempts to decide without the person, once a passkey is registered: with a stolen token or
 * key, with old, bent or borrowed signatures, with keys of one's own, and on the record. None
 * may succeed, and each is turned away by its own code.
 */
import { expect, test } from 'vitest'
import {
  agentToken,
  bearer,
  bobToken,
  jsonBearer,
  personToken,
} from '../../src/doors/api/daemon.contract.ts'
import { openApprovalLinks } from '../../src/notify/approval-links.ts'
import { errorCodeOf } from '../../src/runtime/error-code.ts'
import { resetPasskeys } from '../../src/runtime/passkeys/passkey-log.ts'
import type { Signature } from '../../src/runtime/passkeys/passkeys.ts'
import { asAgent } from '../../src/runtime/runtime.contract.ts'
import { type Lies, openSoftAuthenticator, softOrigin } from './soft-authenticator.ts'
import {
  askIn,
  confirmWith,
  gate,
  openWorld,
  passkeySettings,
  pendingOf,
  register,
  type SignedWish,
  type World,
} from './world.ts'

type Attempt = {
  readonly name: string
  /** What it is turned away with. */
  readonly code: string
  /** Tries to decide `asked`; gives the code of the answer. */
  readonly act: (world: World) => Promise<string>
  /** Whether the run's record tells of it; absent: it does. */
  readonly isUnrecorded?: true
}

type Sent = {
  readonly granted?: boolean
  readonly note?: string
  readonly edits?: Readonly<Record<string, string>>
  readonly signature?: Signature
  readonly by?: string
  readonly id?: string
}

/** Decides as a person does over the API, once the caller is known. */
async function decide({ runtime, asked }: World, sent: Sent = {}): Promise<string> {
  const { granted = true, note = '', edits = null, by = 'ada', id = asked.id } = sent
  const decision = { granted, note, hash: null, edits }
  const signed = sent.signature === undefined ? {} : { signature: sent.signature }
  try {
    const actor = { kind: 'person', name: by } as const
    const whole = { ...decision, ...signed }
    const { reply } = await runtime.resolve(id, whole, { actor, commandId: null })
    return reply.kind === 'refused' ? reply.code : 'done'
  } catch (fault) {
    return errorCodeOf(fault)
  }
}

/** A decision that ada signs, with a lie in it. */
function lying(name: string, lies: Lies, code = 'PASSKEY_INVALID'): Attempt {
  const act = async (world: World): Promise<string> =>
    decide(world, { signature: await world.signed({ on: world.asked }, lies) })
  return { name, code, act }
}

/** A decision that is sent otherwise than it was signed. */
function bent(name: string, wish: Omit<SignedWish, 'on'>, sent: Sent): Attempt {
  const act = async (world: World): Promise<string> =>
    decide(world, { ...sent, signature: await world.signed({ on: world.asked, ...wish }) })
  return { name, code: 'PASSKEY_INVALID', act }
}

async function overHttp(world: World, token: string, granted: boolean): Promise<string> {
  const body = JSON.stringify({ granted })
  const path = `POST /v1/approvals/${encodeURIComponent(world.asked.id)}`
  const answer = await world.daemon.ask(path, { headers: jsonBearer(token), body })
  return answer.status === 200 ? 'done' : (JSON.parse(answer.text) as { code: string }).code
}

function flipped(text: string): string {
  const bytes = Buffer.from(text, 'base64url')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  return bytes.toString('base64url')
}

async function coded(work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (fault) {
    return errorCodeOf(fault)
  }
}

/** Gives bob a key that counts. */
async function registerBob(world: World) {
  const bob = openSoftAuthenticator()
  const { id } = await register(world.runtime, 'bob', bob)
  await confirmWith(world.runtime, id, { person: 'ada', key: world.ada })
  return bob
}

const attempts: readonly Attempt[] = [
  {
    name: 'a stolen person token approves over HTTP',
    code: 'PASSKEY_NEEDED',
    act: (world) => overHttp(world, personToken, true),
  },
  {
    name: 'a stolen person token refuses over HTTP',
    code: 'PASSKEY_NEEDED',
    act: (world) => overHttp(world, personToken, false),
  },
  {
    name: 'the token of another person approves',
    code: 'PASSKEY_NEEDED',
    act: (world) => overHttp(world, bobToken, true),
  },
  {
    name: 'an agent token approves',
    code: 'NOT_PERMITTED',
    isUnrecorded: true,
    act: (world) => overHttp(world, agentToken, true),
  },
  {
    name: 'a stolen person token approves over the socket',
    code: 'PASSKEY_NEEDED',
    act: ({ daemon, asked }) =>
      coded(() => daemon.client('socket').approvals.decide({ id: asked.id, granted: true })),
  },
  {
    name: 'the stolen key of a sign-in approves',
    code: 'PASSKEY_NEEDED',
    act: async ({ daemon, asked }) => {
      const { code } = await daemon.client('http').signIns.invite({})
      const origin = `http://127.0.0.1:${daemon.http.port}`
      const post = async (path: string, body: object, more = {}) => {
        const headers = { origin, 'content-type': 'application/json', ...more }
        const sent = { headers, body: JSON.stringify(body) }
        return JSON.parse((await daemon.ask(`POST ${path}`, sent)).text)
      }
      const { key } = await post('/v1/sign-in', { code })
      const path = `/v1/approvals/${encodeURIComponent(asked.id)}`
      return (await post(path, { granted: true }, { 'x-pawl-key': key })).code ?? 'done'
    },
  },
  {
    name: 'a link from a message approves',
    code: 'refused',
    act: async ({ runtime, bench, asked }) => {
      const clock = { now: () => asked.id.length }
      const links = openApprovalLinks({ documents: bench.store, clock, runtime })
      const secret = await links.make(await runtime.readQuestion(asked.id), 'ada')
      const reading = await links.read(secret)
      const token = reading.kind === 'open' ? reading.token : ''
      return (await links.decide(secret, { granted: true, note: '', token })).kind
    },
  },
  {
    name: 'an MCP client says that its user approved',
    code: 'PASSKEY_NEEDED',
    act: async ({ daemon, asked }) => {
      const body = JSON.stringify({ client: 'x', granted: true, note: '', hash: asked.hash })
      const path = `POST /v1/approvals/${encodeURIComponent(asked.id)}/elicited`
      const answer = await daemon.ask(path, { headers: jsonBearer(agentToken), body })
      return (JSON.parse(answer.text) as { code?: string }).code ?? 'done'
    },
  },
  {
    name: 'a signature is used a second time',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const other = await world.ask()
      const signature = await world.signed({ on: other })
      expect(await decide(world, { id: other.id, signature })).toBe('done')
      return decide(world, { signature })
    },
  },
  {
    name: 'a signature for one approval decides another one of the same contents',
    code: 'PASSKEY_INVALID',
    act: async (world) =>
      decide(world, { signature: await world.signed({ on: await world.ask() }) }),
  },
  {
    name: 'a challenge is answered again after a wrong answer',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const signature = await world.signed({ on: world.asked })
      await decide(world, { note: 'other', signature })
      return decide(world, { signature })
    },
  },
  {
    name: 'a challenge is answered after its time',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const signature = await world.signed({ on: world.asked })
      world.bench.pass(5 * 60_000 + 1)
      return decide(world, { signature })
    },
  },
  {
    name: 'a challenge that nobody issued is answered',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const { assertion } = await world.signed({ on: world.asked })
      return decide(world, { signature: { nonce: 'made-up', assertion } })
    },
  },
  {
    name: 'a challenge from before a restart is answered',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const signature = await world.signed({ on: world.asked })
      const runtime = world.bench.again(world.bench.store, { passkeys: passkeySettings })
      return decide({ ...world, runtime }, { signature })
    },
  },
  lying('a page on another port had it signed', { origin: 'http://localhost:9999' }),
  lying('a page at the bare address had it signed', { origin: 'http://127.0.0.1:4140' }),
  lying('another site had it signed', { origin: 'https://evil.example' }),
  lying('it was signed for another host name', { rpId: 'evil.example' }),
  lying('it was signed in a frame of another site', { isFramed: true }),
  lying('the user was not verified', { isVerified: false }),
  lying('the user was not present', { isPresent: false, isVerified: false }),
  lying('what was signed is a registration', { type: 'webauthn.create' }),
  lying('what was signed is another challenge', { challenge: 'AAAA' }),
  bent('the note is changed after signing', { note: 'yes' }, { note: 'yes, and more' }),
  bent('edits are added after signing', {}, { edits: { version: '9' } }),
  bent('edits are changed after signing', { edits: { version: '2' } }, { edits: { version: '9' } }),
  bent('a signed refusal is sent as an approval', { granted: false }, { granted: true }),
  bent('a signature of ada is sent in the name of bob', {}, { by: 'bob' }),
  {
    name: 'it is signed for another hash than the one that waits',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const on = { ...world.asked, hash: 'sha256:00' }
      return decide(world, { signature: await world.signed({ on }) })
    },
  },
  {
    name: 'the sign count goes backwards',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const other = await world.ask()
      const signature = await world.signed({ on: other }, { counter: 7 })
      expect(await decide(world, { id: other.id, signature })).toBe('done')
      const copied = await world.signed({ on: world.asked }, { counter: 5 })
      return decide(world, { signature: copied })
    },
  },
  {
    name: 'the sign count stays the same',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const other = await world.ask()
      const signature = await world.signed({ on: other }, { counter: 7 })
      expect(await decide(world, { id: other.id, signature })).toBe('done')
      const copied = await world.signed({ on: world.asked }, { counter: 7 })
      return decide(world, { signature: copied })
    },
  },
  {
    name: 'a key that was never registered signs',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const key = openSoftAuthenticator()
      return decide(world, { signature: await world.signed({ on: world.asked, with: key }) })
    },
  },
  {
    name: 'a key of the forger signs under the id of the registered key',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const { nonce, options } = await world.request({ on: world.asked })
      const assertion = { ...openSoftAuthenticator().get(options), id: world.ada.id }
      return decide(world, { signature: { nonce, assertion } })
    },
  },
  {
    name: 'the key of one person signs for another',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const bob = await registerBob(world)
      return decide(world, { signature: await world.signed({ on: world.asked, with: bob }) })
    },
  },
  {
    name: 'one bit of the signature is changed',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const { nonce, assertion } = await world.signed({ on: world.asked })
      const signature = flipped(assertion.signature)
      return decide(world, { signature: { nonce, assertion: { ...assertion, signature } } })
    },
  },
  {
    name: 'one bit of the authenticator data is changed',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const { nonce, assertion } = await world.signed({ on: world.asked })
      const authenticatorData = flipped(assertion.authenticatorData)
      const changed = { ...assertion, authenticatorData }
      return decide(world, { signature: { nonce, assertion: changed } })
    },
  },
  {
    name: 'a removed key signs',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const { runtime, ada } = world
      const signature = await world.signed({ on: world.asked })
      await confirmWith(runtime, await runtime.passkeys.remove(ada.id, 'ada'), {
        ...{ person: 'ada', key: ada },
      })
      return decide(world, { signature })
    },
  },
  {
    name: 'the keys are reset offline, and the token approves',
    code: 'PASSKEY_NEEDED',
    act: async (world) => {
      await resetPasskeys(world.bench.store, null, { at: 1, actor: 'person:mallory' })
      return decide(world)
    },
  },
  {
    name: 'an unconfirmed key of the forger signs for ada',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const key = openSoftAuthenticator()
      expect((await register(world.runtime, 'ada', key)).isActive).toBe(false)
      return decide(world, { signature: await world.signed({ on: world.asked, with: key }) })
    },
  },
  {
    name: 'a new person with a token signs with a key that nobody confirmed',
    code: 'PASSKEY_INVALID',
    isUnrecorded: true,
    act: async (world) => {
      const key = openSoftAuthenticator()
      expect((await register(world.runtime, 'mallory', key)).isActive).toBe(false)
      return coded(() => world.signed({ on: world.asked, with: key, by: 'mallory' }))
    },
  },
]

test.each(attempts)('nothing is decided when $name', async ({ act, code, isUnrecorded }) => {
  const world = await openWorld()
  expect(await act(world)).toBe(code)
  const { runtime, asked } = world
  expect((await runtime.readApproval(asked.id)).status).toBe('pending')
  const verified = await runtime.verify(asked.runId, null)
  expect(verified).toMatchObject({ ok: true, signatures: { signed: 0, unsigned: 0 } })
  const refused = verified.ok ? (verified.signatures?.refused ?? 0) : 0
  expect(refused > 0).toBe(isUnrecorded !== true)
  // What the run does not tell, the doctor does.
  if (isUnrecorded === true) expect(runtime.attempts.list().join()).toContain('refused')
})

test('a stolen token can neither force the run past its gate nor suspend its rules', async () => {
  const world = await openWorld()
  const source = JSON.stringify({ ...gate, id: 'debug', meta: { debug: true } })
  await world.runtime.definitions.create({ source, format: 'json' })
  const { runId, id } = await world.ask('debug')
  const person = world.daemon.client('http')
  const force = () => person.runs.force({ runId, stage: 'done' })
  expect(await coded(force)).toBe('PASSKEY_NEEDED')
  expect(await coded(() => person.runs.pause({ runId, release: true }))).toBe('PASSKEY_NEEDED')
  expect((await world.runtime.readApproval(id)).status).toBe('pending')
  const told = world.runtime.attempts.list().join()
  expect([told.includes('runs.force'), told.includes('runs.pause')]).toEqual([true, true])
})

test('a refused attempt tells which program made it', async () => {
  const { runtime, asked } = await openWorld()
  const peer = { uid: 7, pid: 9, executable: '/bin/\u001b[2Jnode', script: null }
  const decision = { granted: true, note: '', hash: null, edits: null, peer: async () => peer }
  const by = { actor: { kind: 'person', name: 'ada' }, commandId: null } as const
  await runtime.resolve(asked.id, decision, by)
  const { events } = await runtime.exportRun(asked.runId)
  expect(JSON.parse(events.at(-1)?.data ?? '')).toMatchObject({
    code: 'DECISION_NOT_PROVEN',
    message: expect.stringContaining(
      'did not sign it; sent by /bin/\\u001b[2Jnode (pid 9, user 7)',
    ),
  })
})

test('what ada signs is decided, and verifies', async () => {
  const world = await openWorld()
  const edits = { version: '2' }
  const signature = await world.signed({ on: world.asked, note: 'yes', edits })
  expect(await decide(world, { note: 'yes', edits, signature })).toBe('done')
  const verified = await world.runtime.verify(world.asked.runId, null)
  expect(verified).toMatchObject({ ok: true, signatures: { signed: 1, unsigned: 0, refused: 0 } })
})

const downgrades = [
  { where: 'a definition', more: { approvals: { proof: 'token' } } },
  { where: 'its policy', more: { policy: { approvals: { proof: 'token' } } } },
]

test.each(downgrades)('`proof: token` in $where lowers nothing', async ({ more }) => {
  const world = await openWorld()
  const source = JSON.stringify({ ...gate, id: 'lower', ...more })
  expect((await world.runtime.definitions.create({ source, format: 'json' })).ok).toBe(true)
  const asked = await world.ask('lower')
  expect(await decide(world, { id: asked.id })).toBe('PASSKEY_NEEDED')
})

const demands = [
  { where: 'a definition', more: { approvals: { proof: 'passkey' } } },
  { where: 'a policy', more: { policy: { approvals: { proof: 'passkey' } } } },
]

test.each(demands)(
  '`proof: passkey` in $where holds although the configuration says token',
  async ({ more }) => {
    const world = await openWorld()
    const settings = { ...passkeySettings, proof: 'token' } as const
    const runtime = world.bench.again(world.bench.store, { passkeys: settings })
    const source = JSON.stringify({ ...gate, id: 'strict', ...more })
    await runtime.definitions.create({ source, format: 'json' })
    const [loose, strict] = [await askIn(runtime, 'gate'), await askIn(runtime, 'strict')]
    expect(await decide({ ...world, runtime }, { id: loose.id })).toBe('done')
    expect(await decide({ ...world, runtime }, { id: strict.id })).toBe('PASSKEY_NEEDED')
  },
)

test('a call that waits for a signature is not granted at the prompt of a host', async () => {
  const { runtime } = await openWorld()
  const wish = { definition: 'gate', task: null, stage: null, vars: {}, workspace: null }
  const { runId } = await runtime.start(wish, asAgent)
  const input = { command: 'npm test' }
  const call = { tool: 'Bash', input, host: 'claude', server: null, cwd: null } as const
  const whose = { caller: 'hook:s', key: 'k', branch: null } as const
  const check = { kind: 'check', ...call, ...whose, asksUser: true } as const
  const { reply } = await runtime.send(runId, check, asAgent)
  expect(reply).toMatchObject({ verdict: 'ask', needsQuorum: true })
  const report = { ok: true, output: '', exitCode: 0, bytes: 0, costMicroUsd: 0 }
  const made = { kind: 'report', callId: null, report, ...whose } as const
  await runtime.send(runId, { ...made, grantedAtPrompt: 'at the prompt' }, asAgent)
  expect((await pendingOf(runtime, runId)).runId).toBe(runId)
})

/** A key that is made with a lie. */
function lyingKey(lies: Lies) {
  const { create } = openSoftAuthenticator()
  return { create: (options: object) => create(options, lies) }
}

type KeyAttempt = {
  readonly name: string
  readonly code: string
  readonly act: (world: World) => Promise<string>
}

const keyAttempts: readonly KeyAttempt[] = [
  {
    name: 'an agent begins a registration',
    code: 'NOT_PERMITTED',
    act: async ({ daemon }) => {
      const body = JSON.stringify({ label: 'x', origin: softOrigin })
      const answer = await daemon.ask('POST /v1/passkeys', {
        headers: jsonBearer(agentToken),
        body,
      })
      return (JSON.parse(answer.text) as { code: string }).code
    },
  },
  {
    name: 'an agent lists the passkeys',
    code: 'NOT_PERMITTED',
    act: async ({ daemon }) => {
      const answer = await daemon.ask('GET /v1/passkeys', { headers: bearer(agentToken) })
      return (JSON.parse(answer.text) as { code: string }).code
    },
  },
  {
    name: 'a key confirms itself',
    code: 'PASSKEY_INVALID',
    act: ({ runtime }) =>
      coded(async () => {
        const key = openSoftAuthenticator()
        const { id } = await register(runtime, 'mallory', key)
        await confirmWith(runtime, id, { person: 'mallory', key })
      }),
  },
  {
    name: 'a key of ada confirms a second key for bob, who has one',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      await registerBob(world)
      const { id } = await register(world.runtime, 'bob', openSoftAuthenticator())
      return coded(() => confirmWith(world.runtime, id, { person: 'ada', key: world.ada }))
    },
  },
  {
    name: 'a registration is finished by another person',
    code: 'PASSKEY_INVALID',
    act: async ({ runtime }) => {
      const wish = { person: 'ada', label: 'x', origin: softOrigin }
      const { id, options } = await runtime.passkeys.begin(wish)
      const sent = openSoftAuthenticator().create(options)
      return coded(() => runtime.passkeys.add(id, 'mallory', sent))
    },
  },
  {
    name: 'a registration is finished twice',
    code: 'PASSKEY_INVALID',
    act: async ({ runtime }) => {
      const wish = { person: 'ada', label: 'x', origin: softOrigin }
      const { id, options } = await runtime.passkeys.begin(wish)
      const sent = openSoftAuthenticator().create(options)
      await runtime.passkeys.add(id, 'ada', sent)
      return coded(() => runtime.passkeys.add(id, 'ada', sent))
    },
  },
  {
    name: 'another site makes the key',
    code: 'PASSKEY_INVALID',
    act: ({ runtime }) =>
      coded(() => register(runtime, 'ada', lyingKey({ origin: 'https://evil.example' }))),
  },
  {
    name: 'a key is made without user verification',
    code: 'PASSKEY_INVALID',
    act: ({ runtime }) => coded(() => register(runtime, 'ada', lyingKey({ isVerified: false }))),
  },
  {
    name: 'the registered key is registered again, for another person',
    code: 'PASSKEY_INVALID',
    act: ({ runtime, ada }) => coded(() => register(runtime, 'mallory', ada)),
  },
  {
    name: 'a registration begins at the bare address',
    code: 'PASSKEY_INVALID',
    act: ({ runtime }) => {
      const wish = { person: 'ada', label: 'x', origin: 'http://127.0.0.1:4140' }
      return coded(() => runtime.passkeys.begin(wish))
    },
  },
  {
    name: 'a token removes the key of ada without a signature',
    code: 'PASSKEY_INVALID',
    act: async ({ runtime, ada }) => {
      const id = await runtime.passkeys.remove(ada.id, 'ada')
      const assertion = ada.get({ challenge: 'AAAA' })
      return coded(() => runtime.passkeys.confirm(id, 'ada', { nonce: 'none', assertion }))
    },
  },
  {
    name: 'a signed decision is sent as the confirmation of a key',
    code: 'PASSKEY_INVALID',
    act: async (world) => {
      const { id } = await register(world.runtime, 'ada', openSoftAuthenticator())
      const signature = await world.signed({ on: world.asked })
      return coded(() => world.runtime.passkeys.confirm(id, 'ada', signature))
    },
  },
]

test.each(keyAttempts)('no key counts when $name', async ({ act, code }) => {
  const world = await openWorld()
  expect(await act(world)).toBe(code)
  expect(world.runtime.attempts.list().join()).toContain(code)
  const { keys } = await world.runtime.passkeys.list()
  const active = keys.filter((key) => key.untilSeq === null)
  expect(active.filter((key) => key.person === 'ada').map((key) => key.credentialId)).toEqual([
    world.ada.id,
  ])
  expect(active.some((key) => key.person === 'mallory')).toBe(false)
})
