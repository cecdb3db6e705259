/**
 * Sessions beside the first one: at the same time in another work tree, resumed and compacted, and
 * after the hooks were removed. Each makes a call or a few.
 */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionPathId } from './canaries.ts'
import type { Tried } from './canary.ts'
import { drive, type Transcript } from './hosts/drive.ts'
import { drivers } from './hosts/drivers.ts'
import type { ScriptedCall } from './model/script.ts'
import { fileText, putFile, type SandboxEnv } from './sandbox-env.ts'

/** Makes another work tree, and gives a link to a subfolder of it; before `pawl init`. */
export async function linkWorkTree(world: SandboxEnv): Promise<string> {
  putFile(world, 'sub/keep.txt', 'x\n')
  await world.git('add', 'sub')
  await world.git('commit', '-q', '-m', 'first')
  const [worktree, link] = [join(world.root, 'worktree'), join(world.root, 'link')]
  await world.git('worktree', 'add', '-q', worktree)
  const sub = join(worktree, 'sub')
  mkdirSync(sub, { recursive: true })
  symlinkSync(sub, link)
  return link
}

/** The rows that one session shows: it is all of these, so what does not hold in one leaks. */
const secondIds: readonly SessionPathId[] = ['second', 'worktree', 'link', 'subfolder']

/** A session in a folder while the first one is open; in code mode if the host has it. */
export async function trySecond(
  world: SandboxEnv,
  folder: string,
  until: number,
): Promise<readonly Tried[]> {
  const { codeMode, toolCalls } = drivers[world.host]
  const call = codeMode ?? toolCalls.shell
  const isCodeMode = codeMode !== null
  const { tried } = await session(world, { folder, until, isCodeMode, calls: { second: call } })
  const ids = isCodeMode ? [...secondIds, 'codemode'] : secondIds
  return tried.flatMap((one) => ids.map((id) => ({ ...one, id })))
}

/** Starts sessions one after the other once the first has ended, in a stage for reading. */
export async function tryLater(world: SandboxEnv, until: number): Promise<readonly Tried[]> {
  const { shell } = drivers[world.host].toolCalls
  const resumed = await tryResumed(world, until)
  await world.git('clean', '-fdxq')
  const { tried } = await session(world, {
    ...{ folder: world.project, until, calls: { removed: shell } },
  })
  // Stopped at its prompt, it never makes the call: then the daemon says so.
  const isUntried = tried.some(({ hasLanded }) => hasLanded === null)
  const { out } = isUntried ? await world.pawl('status') : { out: '' }
  // Its lines are as long as the terminal is wide.
  const isStopped = out.replaceAll(/\s+/g, ' ').includes('not in force, and stopped')
  const removed = isStopped ? tried.map((one) => ({ ...one, hasLanded: false })) : tried
  return [...resumed, ...removed]
}

/** Goes on with the first session, and has the host compact its context. */
async function tryResumed(world: SandboxEnv, until: number): Promise<readonly Tried[]> {
  const { toolCalls, compactsAt, compactsNew = false } = drivers[world.host]
  const { shell } = toolCalls
  const resumed = { folder: world.project, until, isResumed: true, calls: { resumed: shell } }
  // The result of the call that fills the context may be lost with it. Some hosts compact beside
  // the conversation, and go on with the result one request later.
  const filling = { full: shell, next: shell, compacted: shell }
  const promptTokens = { full: compactsAt }
  if (!compactsNew) {
    return compacted(world, { ...resumed, calls: { ...resumed.calls, ...filling }, promptTokens })
  }
  const { tried } = await session(world, resumed)
  const fresh = { ...resumed, isResumed: false, hasLittleRoom: true }
  return [...tried, ...(await compacted(world, { ...fresh, calls: filling, promptTokens }))]
}

async function compacted(world: SandboxEnv, wish: SessionWish): Promise<readonly Tried[]> {
  const { tried, transcript } = await session(world, wish)
  return tried.map((one) =>
    one.id === 'compacted' && one.hasLanded === false && !wasCompacted(transcript)
      ? { ...one, hasLanded: null }
      : one,
  )
}

/** Whether some request of the conversation had the summary in it, or was shorter than the last. */
function wasCompacted({ exchanges }: Transcript): boolean {
  const texts = exchanges
    .filter(({ lane }) => lane === 'main')
    .map(({ body }) => JSON.stringify(body))
  const lengths = texts.map(({ length }) => length)
  return (
    texts.some((text) => text.includes(summary)) ||
    lengths.some((length, at) => length < (lengths[at - 1] ?? 0))
  )
}

type SessionWish = {
  readonly folder: string
  readonly until: number
  /** How each canary is made, by its id. */
  readonly calls: Readonly<Record<string, (command: string) => ScriptedCall>>
  readonly isResumed?: boolean
  readonly hasLittleRoom?: boolean
  readonly isCodeMode?: boolean
  /** What the model says that its request came to, when it makes a call. */
  readonly promptTokens?: Readonly<Record<string, number>>
}

type Session = { readonly tried: readonly Tried[]; readonly transcript: Transcript }

/** What a host asks its model for when it compacts. */
const asides =
  'summary of (the|this|our) conversation|summarizes a conversation|Summarize this session|' +
  'Create a handoff summary'
const summary = 'Work goes on.'
const aux = `<state_snapshot>${summary}</state_snapshot>`

async function session(world: SandboxEnv, wish: SessionWish): Promise<Session> {
  const { folder, until, calls, promptTokens = {}, ...kind } = wish
  const canaries = Object.entries(calls).map(([id, call]) => {
    const path = join(folder, `canary-${id}`)
    return { id, path, callId: `call_${id}`, call: call(`echo x > ${path}`) }
  })
  const turns = canaries.map(({ id, callId, call }) => {
    const tokens = promptTokens[id]
    const used = tokens === undefined ? {} : { promptTokens: tokens }
    return { tools: [{ ...call, id: callId }], ...used }
  })
  const transcript = await drive({
    ...{ ...world, project: folder, ...kind },
    script: { prompt: 'Do the work.', turns: [...turns, { text: 'All done.' }], asides, aux },
    timeoutMs: Math.max(1, until - performance.now()),
  })
  const tried = canaries.map(({ id, path, callId }) => {
    const told = transcript.calls.flatMap((one) => (one.id === callId ? (one.told ?? []) : []))
    // WHY by its words: a call that failed for another reason proves nothing.
    const isRefused = told.some((text) => text.includes('Pawl'))
    const hasLanded = fileText(path) !== null ? true : isRefused ? false : null
    return { id, told, hasLanded, end: transcript }
  })
  return { tried, transcript }
}
