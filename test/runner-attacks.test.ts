/**
 * The attack corpus of the runner, on real processes: every record of `runner.*` and `env.runner`
 * comes out as it is labelled, at the strongest isolation of this machine.
 */
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { JsonObject } from '../src/core/json.ts'
import { jobsContract } from '../src/doors/api/jobs-contract.ts'
import { faultOf, type JobsBench, openJobsBench, resultIn } from '../src/jobs/jobs.contract.ts'
import { processesWith } from '../src/runner/scratch.contract.ts'
import { JobFault } from '../src/runtime/jobs/job-fault.ts'
import type { JobCaller, RunWish } from '../src/runtime/jobs/jobs-port.ts'

type Record = {
  readonly id: string
  readonly area: string
  readonly setting: {
    readonly blocked_env?: readonly string[]
    readonly parent_env?: { readonly [name: string]: string }
  }
  readonly attempt: { readonly tool: string; readonly input: JsonObject }
  readonly expected: 'allow' | 'deny' | 'error'
  readonly level: 'must' | 'should'
  readonly effect?: string
  readonly why: string
}

const path = join(import.meta.dirname, '..', 'attacks', 'public.jsonl')
const records = readFileSync(path, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Record)
  .filter(({ area }) => area.startsWith('runner.') || area === 'env.runner')

const waitMs = 60_000

function definitionOf({ setting }: Record): object {
  const { blocked_env } = setting
  return {
    id: 'attacked',
    initial: 'work',
    states: {
      work: { ...(blocked_env === undefined ? {} : { blocked_env }), on: { DONE: 'done' } },
      done: { type: 'final' },
    },
  }
}

/** The job that a record means by a name. */
async function jobNamed(bench: JobsBench, caller: JobCaller, name: string): Promise<string> {
  if (name === 'p_done') {
    return resultIn(await bench.jobs.run({ command: 'true' }, caller, waitMs)).process_id
  }
  if (name !== 'p1' && name !== 'p_other_session') return name
  const owner = name === 'p1' ? caller : bench.asAgentOf(await bench.startRun(otherRun))
  const wish = { command: 'echo hello; sleep 300', background: true }
  return resultIn(await bench.jobs.run(wish, owner, waitMs)).process_id
}

const otherRun = { ...definitionOf({ setting: {} } as Record), id: 'other' }

type Attempt = { readonly bench: JobsBench; readonly caller: JobCaller; readonly record: Record }

async function attempt({ bench, caller, record }: Attempt): Promise<object> {
  const { tool, input } = record.attempt
  const { jobs } = bench
  if (tool === 'process.run') {
    const parsed = jobsContract['jobs.run'].input.safeParse(input)
    if (!parsed.success) throw new JobFault('InvalidInput', parsed.error.message)
    return jobs.run(input as unknown as RunWish, caller, waitMs)
  }
  if (tool === 'process.list') return jobs.list(input, caller)
  const { process_id, twice_at_once, ...wish } = input
  const id = await jobNamed(bench, caller, String(process_id))
  if (tool === 'process.logs') return jobs.logs(id, { waitMs: 0, ...wish }, caller)
  if (twice_at_once !== true) return jobs.kill(id, wish, caller)
  const kills = [jobs.kill(id, wish, caller), jobs.kill(id, wish, caller)]
  const faults = await Promise.all(kills.map(faultOf))
  expect(faults.map((one) => one?.error_type ?? null)).toEqual([null, 'ProcessAlreadyExited'])
  return kills[0] ?? {}
}

/** What the words of an effect come down to, each by what can be seen. */
function seeEffect({ effect = '', attempt: { input } }: Record, answer: object): void {
  if (!('stdout_summary' in answer)) return
  const result = resultIn(answer as Parameters<typeof resultIn>[0])
  const seen = result.stdout_summary + result.stderr_summary
  expect(seen).not.toMatch(/postgres:\/\/secret|PRIVATE KEY/)
  expect(seen.length).toBeLessThan(100_000)
  if (effect.startsWith('timed_out')) expect(result.state).toBe('timed_out')
  if (effect.includes('log file capped')) expect(result.stdout_dropped_bytes).toBeGreaterThan(0)
  if (effect.includes('exit_code=3')) expect(result.exit_code).toBe(3)
  if (effect.includes('exit_code=null'))
    expect([result.exit_code, result.signal]).toEqual([null, 'SIGKILL'])
  if (effect.includes('no network')) expect(result.exit_code).not.toBe(0)
  if (effect.includes('invalid UTF-8')) expect(result.stdout_size).toBeLessThan(20)
  if (effect.includes('leader exits')) expect(result.duration_ms).toBeLessThan(10_000)
  if (effect.includes('survivors')) expect(processesWith(String(input.command))).toEqual([])
}

test('there are records of the runner', () => {
  expect(records.length).toBeGreaterThan(30)
})

test.for(records)('$id: $why', async (record) => {
  const { setting, expected } = record
  Object.assign(process.env, { ...setting.parent_env, HOME: process.env.HOME })
  const bench = openJobsBench()
  mkdirSync(join(bench.workspace, 'src'))
  symlinkSync('/etc', join(bench.workspace, 'linkdir-out'))
  const caller = bench.asAgentOf(await bench.startRun(definitionOf(record)))
  const held = attempt({ bench, caller, record })
  const fault = await faultOf(held)
  for (const name of Object.keys(setting.parent_env ?? {})) {
    if (name !== 'HOME') delete process.env[name]
  }
  if (expected === 'error') {
    // A text goes to a shell, which answers for an unknown command with an exit code.
    const isToldByCode = fault === null && record.why.includes('exit code 127')
    if (isToldByCode) expect(await held).toMatchObject({ exit_code: 127 })
    else expect(fault).not.toBeNull()
    return
  }
  if (fault !== null) expect([expected, fault]).toEqual(['deny', fault])
  else seeEffect(record, await held)
})
