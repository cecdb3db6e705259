/**
 * Attacks on the limits of policies, over the socket of a daemon. What needs another clock is for
 * the cases, which have one.
 */
import type { Posting } from '../../src/main/mail.contract.ts'
import type { AttackOutcome, AttackRecord } from './records.ts'

type Reply = { readonly verdict: 'allow' | 'ask' | 'deny'; readonly callId: string | null }

/** Makes the calls of a record in a run of its own. */
export async function tryLimit(posting: Posting, record: AttackRecord): Promise<AttackOutcome> {
  const { attempt, setting } = record
  if ('clock_jump_s' in attempt) return untried('the clock of a daemon is not moved from outside')
  const { agent } = posting
  const { runId } = await posting.begin({}, { policy: setting.policy })
  const tool = toolOf(String(attempt.capability))
  const call = async (): Promise<Reply> =>
    (await agent.runs.check({ runId, tool, input: { command: 'ls' } })).reply
  const report = (callId: string, costMicroUsd: number) =>
    agent.runs.report({ runId, callId, ok: true, costMicroUsd })
  if (attempt.prior_denied_calls !== undefined) {
    for (let times = 0; times < Number(attempt.prior_denied_calls); times += 1) {
      await agent.runs.check({ runId, tool: 'Bash', input: { command: 7 } as never })
    }
  }
  for (const _ of (attempt.prior_calls_s_ago as readonly number[] | undefined) ?? []) {
    await allowed(posting, { runId, call })
  }
  if (attempt.restart_server === true) await posting.restart()
  if (attempt.spent_usd !== undefined) {
    const { callId } = await call()
    await report(callId ?? '', Math.round(Number(attempt.spent_usd) * 1e6))
  }
  if (attempt.concurrent !== undefined) {
    const all = await Promise.all(Array.from({ length: Number(attempt.concurrent) }, call))
    const passed = all.filter((one) => one.verdict === 'allow').length
    return { verdicts: ['deny'], wrong: passed === 3 ? [] : [`${passed} passed`] }
  }
  const { verdict, callId } = await call()
  const cost = Number(attempt.cost_usd ?? 0) * 1e6
  if (verdict !== 'allow' || cost >= 0) return { verdicts: [verdict], wrong: [] }
  const refused = await report(callId ?? '', cost).then(
    () => null,
    (problem: { code: string }) => problem.code,
  )
  return { verdicts: refused === null ? ['allow'] : ['error'], wrong: [] }
}

function untried(why: string): AttackOutcome {
  return { verdicts: [], wrong: [], untried: why }
}

function toolOf(capability: string): string {
  const [kind, server, tool] = capability.split(':')
  return kind === 'mcp' ? `mcp__${server}__${tool}` : kind === 'bash' ? 'Bash' : capability
}

type Calling = { readonly runId: string; readonly call: () => Promise<Reply> }

/** A call that passes; a person agrees where one is asked. */
async function allowed({ person }: Posting, { runId, call }: Calling): Promise<void> {
  const { verdict } = await call()
  if (verdict !== 'ask') return
  const { items } = await person.call('approvals.list', { runId, status: 'pending' })
  await person.call('approvals.decide', { id: items[0]?.id ?? '', granted: true })
  await call()
}
