/**
 * Where forgers are at work: a daemon's API on a store in memory, a person whose passkey is
 * registered, and a gate that waits for her.
 */
import { type Daemon, openDaemon } from '../../src/doors/api/daemon.contract.ts'
import type { OpenRuntime } from '../../src/runtime/open-runtime.ts'
import type { Signature, SignatureRequest } from '../../src/runtime/passkeys/passkeys.ts'
import type { RelyingParty } from '../../src/runtime/passkeys/webauthn.ts'
import { asAgent, asPerson, type Bench, openBench } from '../../src/runtime/runtime.contract.ts'
import {
  type Lies,
  openSoftAuthenticator,
  type SoftAuthenticator,
  softOrigin,
} from './soft-authenticator.ts'

export const gate = {
  id: 'gate',
  initial: 'build',
  states: {
    build: {
      allowed_tools: ['Read', 'Bash', 'Write'],
      on: {
        SHIP: { target: 'done', requires_approval: true, approval_editable: ['version'] },
      },
    },
    done: { type: 'final' },
  },
  policy: { ask: [{ capability: 'bash' }] },
}

export type Pending = { readonly runId: string; readonly id: string; readonly hash: string }

export type World = {
  readonly bench: Bench
  readonly runtime: OpenRuntime
  readonly daemon: Daemon
  /** The authenticator of ada, which no forger has. */
  readonly ada: SoftAuthenticator
  /** The gate that waits. */
  readonly asked: Pending
  readonly ask: (definition?: string) => Promise<Pending>
  /** What ada signs on her page. */
  readonly signed: (wish: SignedWish, lies?: Lies) => Promise<Signature>
  readonly request: (wish: SignedWish) => Promise<SignatureRequest>
}

export type SignedWish = {
  readonly on: Pending
  readonly granted?: boolean
  readonly note?: string
  readonly edits?: Readonly<Record<string, string>>
  readonly by?: string
  readonly with?: SoftAuthenticator
}

const parties: readonly RelyingParty[] = [{ rpId: 'localhost', origin: softOrigin }]

export const passkeySettings = { proof: null, parties: () => parties } as const

export async function openWorld(): Promise<World> {
  const bench = openBench()
  const runtime = bench.again(bench.store, { passkeys: passkeySettings })
  const about = { version: '0.0.0', found: [], elicitation: true }
  const daemon = await openDaemon({ api: { runtime, about } })
  await runtime.definitions.create({ source: JSON.stringify(gate), format: 'json' })
  const ada = openSoftAuthenticator()
  await register(runtime, 'ada', ada)
  const ask = (definition = 'gate'): Promise<Pending> => askIn(runtime, definition)
  const request = ({ on, granted = true, note = '', edits, by = 'ada' }: SignedWish) =>
    runtime.passkeys.askDecision(
      {
        statement: 'decision',
        ...{ approvalId: on.id, hash: on.hash, granted, note, edits: edits ?? null, person: by },
      },
      { person: by, origin: softOrigin },
    )
  return {
    ...{ bench, runtime, daemon, ada, ask, request },
    asked: await ask(),
    signed: async (wish, lies) => {
      const { nonce, options } = await request(wish)
      return { nonce, assertion: (wish.with ?? ada).get(options, lies) }
    },
  }
}

/** Adds a key; null: it waits for a signature. */
export async function register(
  runtime: OpenRuntime,
  person: string,
  { create }: Pick<SoftAuthenticator, 'create'>,
): Promise<{ readonly id: string; readonly isActive: boolean }> {
  const wish = { person, label: 'key', origin: softOrigin }
  const { id, options } = await runtime.passkeys.begin(wish)
  const added = await runtime.passkeys.add(id, person, create(options))
  return { id, isActive: added !== null }
}

/** Confirms what waits, with a key of somebody. */
export async function confirmWith(
  runtime: OpenRuntime,
  id: string,
  { person, key }: { readonly person: string; readonly key: SoftAuthenticator },
): Promise<void> {
  const asked = await runtime.passkeys.askConfirmation(id, { person, origin: softOrigin })
  const signature = { nonce: asked.nonce, assertion: key.get(asked.options) }
  await runtime.passkeys.confirm(id, person, signature)
}

/** Starts a run and sends it to its gate. */
export async function askIn(runtime: OpenRuntime, definition: string): Promise<Pending> {
  const wish = { definition, task: null, stage: null, vars: {}, workspace: null }
  const { runId } = await runtime.start(wish, asPerson)
  const message = { kind: 'message', name: 'SHIP', data: { version: '1' } } as const
  const utterance = { ...message, stage: null, goTo: null }
  await runtime.send(runId, { kind: 'say', utterance, branch: null }, asAgent)
  return pendingOf(runtime, runId)
}

/** What waits in a run. */
export async function pendingOf(runtime: OpenRuntime, runId: string): Promise<Pending> {
  const query = { runId, status: 'pending', after: null, limit: 1 } as const
  const [row] = (await runtime.listApprovals(query)).items
  if (row === undefined) throw new Error('nothing waits')
  return { runId, id: row.id, hash: row.hash }
}
