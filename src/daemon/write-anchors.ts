/**
 * Writes anchors to where the person wants them: when the daemon starts, every so often, and when
 * it stops. A target that fails is tried again, ever more rarely; the next anchor covers what was
 * missed, so nothing is queued.
 */
import type { AnchorSettings, AnchorTarget } from '../home/config-anchors.ts'
import type { Store } from '../runtime/ports.ts'
import { printAnchor, takeAnchor } from '../runtime/record/anchor.ts'
import type { StoreAnchor } from '../runtime/record/check-record.ts'
import { retryMsAfter } from '../runtime/runs/due-work.ts'
import { appendToFile, commitToRef } from './anchor-targets.ts'
import type { LogLine } from './log-file.ts'
import { repeatEvery } from './repeat-timer.ts'

const lookMs = 1_000
/** How long the end of a daemon waits for its last anchors. */
const closingMsMax = 3_000

type AnchorWriterOptions = {
  readonly store: Store
  readonly settings: AnchorSettings
  readonly now: () => number
  readonly log: LogLine
  /** Posts a line to a webhook. */
  readonly post: (target: Extract<AnchorTarget, { type: 'webhook' }>, line: string) => Promise<void>
}

type TargetState = { readonly target: AnchorTarget; dueAt: number; failures: number; seq: number }

/** Begins; gives what ends it, after the last anchors. */
export function openAnchorWriter(options: AnchorWriterOptions): () => Promise<void> {
  const { settings, now, log } = options
  const states = settings.targets.map(
    (target): TargetState => ({ target, dueAt: 0, failures: 0, seq: 0 }),
  )
  if (states.length === 0) return async () => undefined
  const look = async (): Promise<void> => {
    const due = states.filter(({ dueAt }) => dueAt <= now())
    if (due.length > 0) await writeTo(options, due)
  }
  const timer = repeatEvery(lookMs, look, (fault) =>
    log('error', 'anchors could not be taken', { fault: `${fault}` }),
  )
  return async () => {
    await timer.stop()
    const late = new Promise<void>((resolve) => void setTimeout(resolve, closingMsMax).unref())
    await Promise.race([writeTo(options, states).catch(() => undefined), late])
  }
}

async function writeTo(
  options: AnchorWriterOptions,
  states: readonly TargetState[],
): Promise<void> {
  const anchor = await takeAnchor(options.store, options.now())
  await Promise.all(states.map((state) => writeOne(options, state, anchor)))
}

async function writeOne(
  options: AnchorWriterOptions,
  state: TargetState,
  anchor: StoreAnchor,
): Promise<void> {
  const { settings, now, log } = options
  const { target } = state
  try {
    if (anchor.seq !== state.seq) await deliverTo(options, target, printAnchor(anchor))
    if (state.failures > 0) log('info', 'anchors are written again', { to: target.type })
    state.seq = anchor.seq
    state.failures = 0
    state.dueAt = now() + settings.everyMs
  } catch (fault) {
    state.failures += 1
    state.dueAt = now() + retryMsAfter(state.failures)
    if (state.failures > 1) return
    log('warning', 'an anchor could not be written', { to: target.type, fault: `${fault}` })
  }
}

async function deliverTo(
  { post }: AnchorWriterOptions,
  target: AnchorTarget,
  line: string,
): Promise<void> {
  switch (target.type) {
    case 'file':
      return appendToFile(target.path, line)
    case 'webhook':
      return post(target, line)
    case 'git':
      return commitToRef(target, line)
  }
}
