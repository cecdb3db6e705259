/**
 * The attempts of the corpus that are tool calls, results of calls, or tools of Pawl itself.
 */
import { PawlProblem } from '../../src/doors/api/problem.ts'
import { askAbout, askPerson, type Live, startRun, wrongUnlessPending } from './live.ts'
import type { AttackOutcome, AttackRecord, Verdict } from './records.ts'

/** Tries a call in a stage that lists its command. */
export async function tryCall(live: Live, record: AttackRecord): Promise<AttackOutcome> {
  const { input, tool, allowed_commands } = record.attempt as Attempt
  const runId = await startRun(live, { ...record.setting, commands: allowed_commands })
  const asked = await askPerson(live, record.setting)
  const command = input.command
    .replaceAll('PORT', String(live.port))
    .replace('/api/approvals/ap1/approve', `/v1/approvals/${asked.id}`)
  const verdict = await verdictOn(live, runId, { tool, command })
  // WHY: the corpus counts the answer of the API as well, to a request without a token.
  const isHeld =
    verdict === 'allow' && /^curl /.test(command) && (await isTurnedAway(live, asked.id))
  return {
    verdicts: [isHeld ? 'deny' : verdict],
    wrong: await wrongUnlessPending(live, asked),
  }
}

type Attempt = {
  readonly tool: string
  readonly input: { readonly command: string }
  readonly allowed_commands: readonly string[]
}

type ShellCall = { readonly tool?: string; readonly command: string }

/** What the guard says to a command. */
export async function verdictOn(
  { as }: Live,
  runId: string,
  { tool = 'Bash', command }: ShellCall,
): Promise<Verdict> {
  const { reply } = await as.agent.runs.check({ runId, tool, input: { command } })
  return reply.verdict
}

/** What `curl -XPOST` of that address would get. */
async function isTurnedAway(live: Live, id: string): Promise<boolean> {
  const headers = [['Host', `127.0.0.1:${live.port}`]] as const
  const answer = await live.send({ method: 'POST', target: `/v1/approvals/${id}`, headers })
  return answer.status === 401
}

/** Reports a result that claims an approval, while one is asked for. */
export async function tryResult(live: Live, record: AttackRecord): Promise<AttackOutcome> {
  const { tool_result: output } = record.attempt as { readonly tool_result: string }
  const runId = await startRun(live, record.setting)
  const { as } = live
  const { reply } = await as.agent.runs.check({ runId, tool: 'Read', input: { file_path: 'a' } })
  const asked = await askAbout(live, runId)
  const { seq } = await as.agent.runs.report({
    runId,
    ...(reply.callId === null ? {} : { callId: reply.callId }),
    ok: true,
    output: output.replace('ap1', asked.id),
  })
  // The report is a record of its own; the question stands as it did.
  const wrong = await wrongUnlessPending(live, { ...asked, seq })
  return { verdicts: wrong.length === 0 ? ['ask'] : ['allow'], wrong }
}

/** Pauses as the agent: nothing goes on until somebody resumes. */
export async function tryPause(live: Live, record: AttackRecord): Promise<AttackOutcome> {
  const runId = await startRun(live, record.setting)
  const { agent } = live.as
  const read = async () => {
    const { reply } = await agent.runs.check({ runId, tool: 'Read', input: { file_path: 'a' } })
    return `${reply.verdict} ${reply.code ?? ''}`.trim()
  }
  const before = await read()
  const verdict = await refusalOf(() => agent.runs.pause({ runId }))
  const paused = await read()
  const signal = await refusalOf(() => agent.runs.signal({ runId, name: 'STAY' }))
  const { head } = await agent.runs.read({ runId })
  await agent.runs.resume({ runId })
  const after = await read()
  return {
    verdicts: [verdict === null ? 'allow' : 'deny'],
    wrong: [
      ...(head.status === 'paused' ? [] : [`the run is ${head.status}`]),
      ...(before === 'allow' && after === 'allow' ? [] : [`a call got ${before}, later ${after}`]),
      ...(paused.startsWith('deny ') ? [] : [`a call in the pause got ${paused}`]),
      ...(signal === null ? ['a signal was taken in the pause'] : []),
    ],
  }
}

/** The code of a refusal; null: it was done. */
export async function refusalOf(act: () => Promise<unknown>): Promise<string | null> {
  try {
    await act()
    return null
  } catch (thrown) {
    if (thrown instanceof PawlProblem) return thrown.code
    throw thrown
  }
}
