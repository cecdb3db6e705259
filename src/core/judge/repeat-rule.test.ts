import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Walk } from '../engine/family-builder.contract.ts'
import { foldFamily, unbornFamily } from '../engine/fold-family.ts'
import type { Call, Reply } from '../engine/types.ts'
import type { JsonObject } from '../json.ts'
import { failedCallsIn, failedCallsMax } from '../policy/failed-calls.ts'
import { callOf, policyOf } from '../policy/policy-builder.contract.ts'
import type { PolicyDefinition } from '../policy/schema.ts'
import { readShell } from '../shell/read-shell.ts'

const states = { a: { on: { END: 'z', AGAIN: 'a' } }, z: { type: 'final' } }
const work = { id: 'w', initial: 'a', states }
const minuteMs = 60_000

type Verdict = Extract<Reply, { kind: 'verdict' }>

function shell(command: string): Call {
  const input = { command }
  return callOf('bash', { tool: 'Bash', input, act: 'shell', shell: readShell(command) })
}

const calls: Readonly<Record<string, Call>> = {
  test: shell('npm test'),
  lint: shell('npm run lint'),
  read: callOf('read', { tool: 'Read', act: 'read' }),
  edit: callOf('edit', { tool: 'Edit', act: 'edit', edits: ['a.ts'] }),
  idle: shell('true'),
  status: shell('git status'),
  said: callOf('bash', {
    ...{ tool: 'Bash', act: 'shell', shell: readShell('npm test') },
    input: { command: 'npm test', description: 'try once more', timeout: 1_001 },
  }),
  there: callOf('bash', {
    ...{ tool: 'Bash', act: 'shell', shell: readShell('npm test') },
    input: { command: 'npm test', workdir: 'packages/a' },
  }),
  fetch: callOf('mcp:web:fetch', { declaresChange: false }),
  own: callOf('pawl_state', { isOwn: true }),
}

/**
 * `test-` fails if it is let through, `test+` succeeds, `test?` does by the word of the agent,
 * `20m` is time, `yes` and `no` decide.
 */
function play(walk: Walk, script: string): readonly string[] {
  return script.split(' ').flatMap((word) => {
    if (word === 'yes' || word === 'no') walk.decide(word === 'yes')
    else if (word === 'move') walk.fire('AGAIN')
    else if (word.endsWith('m')) walk.at += Number.parseInt(word, 10) * minuteMs
    else return [make(walk, word)]
    return []
  })
}

function make(walk: Walk, word: string): string {
  const call = calls[word.slice(0, -1)]
  if (call === undefined) throw new Error(`there is no \`${word}\``)
  const { verdict, code, callId } = walk.call(call)
  if (verdict === 'allow') end(walk, callId, word.at(-1) as '+' | '-' | '?')
  return code ?? verdict
}

function end(walk: Walk, callId: string | null, how: '+' | '-' | '?'): void {
  const ok = how !== '-'
  const report = { ok, output: null, exitCode: ok ? 0 : 1, bytes: 0, costMicroUsd: 0 }
  const whose = how === '?' ? ({ isClaim: true } as const) : ({ grade: 'host' } as const)
  const reply = walk.send({ type: 'ReportCall', callId, report, ...whose })
  expect(reply.kind).toBe('accepted')
}

function under(set?: PolicyDefinition['repeated_failures'], more: PolicyDefinition = {}): Walk {
  const policy = set === undefined ? more : { ...more, repeated_failures: set }
  return new Walk(work, [policyOf(policy)])
}

const strict = { tell_after: 2, ask_after: 3, hold_after: 4, window_seconds: 600 }
const [a, T] = ['allow', 'CALL_REPEATED']

const scripts: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'told once, asked, and held',
    'test- test- test- test- test- yes test- test-',
    [a, a, T, a, 'ask', a, T],
  ],
  ['a denial feeds nothing', 'test- test- test- test+ test- test-', [a, a, T, a, a, a]],
  [
    'an edit in between begins again',
    'test- test- edit+ test- test- edit+ test-',
    [a, a, a, a, a, a, a],
  ],
  ['an edit that fails changes nothing', 'test- test- edit- test-', [a, a, a, T]],
  ['reading changes nothing', 'test- read+ test- fetch+ test-', [a, a, a, a, T]],
  ['commands that only look change nothing', 'test- idle+ test- status+ test-', [a, a, a, a, T]],
  ['another description is the same command', 'test- said- said-', [a, a, T]],
  ['another folder is another command', 'test- there- test- there-', [a, a, a, a]],
  ["the agent's word is no success", 'test- test? test- test-', [a, a, a, T]],
  ['two calls that fail in turns', 'test- lint- test- lint- test- lint-', [a, a, a, a, T, T]],
  ['another command that works may help', 'test- test- lint+ test-', [a, a, a, a]],
  ['success begins again', 'test- test+ test- test-', [a, a, a, a]],
  ['a failing look repeats itself too', 'read- read- read-', [a, a, T]],
  ['time lets it be forgotten', 'test- test- 10m test- test- test-', [a, a, a, a, T]],
  ['time since the last failure counts', 'test- 9m test- 9m test-', [a, a, T]],
  [
    'what is held is free again in time',
    'test- test- test- test- test- yes test- test- 10m test-',
    [a, a, T, a, 'ask', a, T, a],
  ],
  [
    'a refusal holds that one try',
    'test- test- test- test- test- no test- test-',
    [a, a, T, a, 'ask', 'ask', 'APPROVAL_PENDING'],
  ],
  ['a move to a stage begins again', 'test- test- move test-', [a, a, a]],
  ['tools of Pawl itself are never held', 'own- own- own- own- own- own-', [a, a, a, a, a, a]],
]

test.each(scripts)('%s: %s', (_name, script, answers) => {
  expect(play(under(strict), script)).toEqual(answers)
})

describe('a call that fails again and again', () => {
  test('by default is told of after 3, asked about after 8 and held after 16 failures', () => {
    const walk = new Walk(work)
    const answers = play(walk, 'test- test- test- test- test- test- test- test- test- test-')
    expect(answers).toEqual([a, a, a, T, a, a, a, a, a, 'ask'])
    for (let failed = 8; failed < 16; failed += 1) {
      walk.decide(true)
      expect(make(walk, 'test-')).toBe(a)
      if (failed < 15) expect(make(walk, 'test-')).toBe('ask')
    }
    expect(make(walk, 'test-')).toBe(T)
  })

  test('is told what to do instead, and which rule says so', () => {
    const walk = under(strict)
    play(walk, 'test- test-')
    const denied = walk.call(shell('npm test'))
    expect(denied).toMatchObject({ verdict: 'deny', rule: '/repeated_failures' })
    expect(denied.reason).toBe('the same call has failed 2 times, and nothing has changed since')
    expect(denied.hint).toMatch(/^read its last error, and change what causes it/)
  })

  test('is one try if it was made several times at once', () => {
    const walk = under(strict)
    const made = [1, 2, 3, 4].map(() => walk.call(shell('npm test')))
    for (const { callId } of made) end(walk, callId, '-')
    expect(failedCallsIn(walk.family.meters)).toMatchObject([{ count: 1 }])
  })

  test('with another input is another call', () => {
    const walk = under(strict)
    play(walk, 'test- test-')
    expect(walk.call(shell('npm test -- one')).verdict).toBe('allow')
  })

  test('is the same call in every branch of a family', () => {
    const branches = { l: { initial: 'l1', terminal: 'z1' }, r: { initial: 'r1', terminal: 'z1' } }
    const fork = { join: 'all', on_complete: 'end', branches }
    const done = { DONE: 'z1' }
    const forked = {
      ...{ id: 'f', initial: 'go' },
      states: {
        ...{ go: { on: { GO: { fork } } }, l1: { on: done }, r1: { on: done } },
        ...{ z1: { type: 'final' }, end: { type: 'final' } },
      },
    }
    const walk = new Walk(forked as JsonObject, [policyOf({ repeated_failures: strict })])
    walk.fire('GO')
    for (const branch of ['l', 'r']) {
      const { callId } = walk.call(shell('npm test'), branch)
      const report = { ok: false, output: null, exitCode: 1, bytes: 0, costMicroUsd: 0 }
      walk.send({ type: 'ReportCall', callId, report }, undefined, branch)
    }
    expect(walk.call(shell('npm test'), 'l').code).toBe(T)
  })

  test('of several policies, the strictest numbers apply', () => {
    const policies = [{ tell_after: 5, ask_after: 2 }, { tell_after: 4 }, {}]
    const walk = new Walk(
      work,
      policies.map((set) => policyOf({ repeated_failures: set })),
    )
    expect(play(walk, 'test- test- test-')).toEqual([a, a, 'ask'])
  })

  test('is denied by its own policy first, and that feeds nothing', () => {
    const walk = under(strict, { deny: [{ capability: 'bash' }] })
    const denied = 'POLICY_DENIED'
    expect(play(walk, 'test- test- test- test- test-')).toEqual([
      denied,
      denied,
      denied,
      denied,
      denied,
    ])
    expect(failedCallsIn(walk.family.meters)).toEqual([])
  })
})

/** What a person would answer who has read the whole log. */
class Reader {
  #failures = new Map<string, { count: number; isTold: boolean }>()

  expects(name: string, ok: boolean): string {
    const { count, isTold } = this.#failures.get(name) ?? { count: 0, isTold: false }
    if (count >= strict.hold_after) return T
    if (count >= strict.ask_after) return 'ask'
    if (count >= strict.tell_after && !isTold) {
      this.#failures.set(name, { count, isTold: true })
      return T
    }
    this.made(name, ok)
    return a
  }

  made(name: string, ok: boolean): void {
    const known = this.#failures.get(name)
    if (!ok) {
      this.#failures.set(name, { count: (known?.count ?? 0) + 1, isTold: known?.isTold ?? false })
    } else if (name === 'read' || name === 'fetch') this.#failures.delete(name)
    else this.#failures.clear()
  }
}

const anyWord = fc
  .tuple(fc.constantFrom('test', 'lint', 'read', 'edit', 'fetch'), fc.constantFrom('-', '-', '+'))
  .map(([name, how]) => `${name}${how}`)

test('whatever is called, the answers are those of a reader of the whole log', () => {
  fc.assert(
    fc.property(fc.array(anyWord, { maxLength: 40 }), (words) => {
      const walk = under(strict)
      const reader = new Reader()
      for (const word of words) {
        const [name, ok] = [word.slice(0, -1), word.endsWith('+')]
        const answer = make(walk, word)
        expect(answer).toBe(reader.expects(name, ok))
        if (answer !== 'ask') continue
        walk.decide(true)
        expect(make(walk, word)).toBe(a)
        reader.made(name, ok)
      }
    }),
  )
})

test('what is kept is bounded, and the log alone gives it again', () => {
  const walk = under(strict)
  const events = [...walk.last.recorded]
  const send = walk.send.bind(walk)
  walk.send = (...words) => {
    const reply = send(...words)
    events.push(...walk.last.recorded)
    return reply
  }
  for (let at = 0; at < failedCallsMax * 2; at += 1) {
    const { callId } = walk.call(shell(`npm run ${at}`)) as Verdict
    end(walk, callId, '-')
  }
  play(walk, 'test- test- test-')
  const kept = failedCallsIn(walk.family.meters)
  expect(kept).toHaveLength(failedCallsMax)
  expect(kept.at(-1)).toMatchObject({ count: 2, isTold: true })
  const machines = () => walk.family.members[0]?.machine as never
  const folded = foldFamily(unbornFamily('r'), events, machines)
  expect(folded.meters).toEqual(walk.family.meters)
})
