/** Runs under a policy on what happened before, and short ways to call and to report in them. */
import { expect } from 'vitest'
import { Walk } from '../engine/family-builder.contract.ts'
import type { Call, Reply } from '../engine/types.ts'
import type { JsonObject } from '../json.ts'
import { callOf, policyOf } from '../policy/policy-builder.contract.ts'
import type { PolicyDefinition } from '../policy/schema.ts'
import { readShell } from '../shell/read-shell.ts'

const work = { id: 'w', initial: 'a', states: { a: { on: { END: 'z' } }, z: { type: 'final' } } }

export const forked = {
  id: 'f',
  initial: 'go',
  states: {
    go: {
      on: {
        GO: {
          fork: {
            join: 'all',
            on_complete: 'end',
            branches: {
              one: { initial: 'a1', terminal: 'z1' },
              two: { initial: 'a2', terminal: 'z2' },
            },
          },
        },
      },
    },
    a1: { on: { DONE: 'z1' } },
    a2: { on: { DONE: 'z2' } },
    z1: { type: 'final' },
    z2: { type: 'final' },
    end: { type: 'final' },
  },
}

type Verdict = Extract<Reply, { kind: 'verdict' }>

export function under(policy: PolicyDefinition, definition: object = work): Walk {
  return new Walk(definition as JsonObject, [policyOf(policy)])
}

export const named = (capability: string, input: JsonObject = {}): Call =>
  callOf(capability, { input })

export type ReportedEnd = {
  readonly ok?: boolean
  readonly output?: JsonObject
  readonly exitCode?: number | null
  readonly isClaim?: true
  readonly grade?: 'host'
  readonly wasNotMade?: true
}

export function end(walk: Walk, { callId }: Verdict, how: ReportedEnd = {}): void {
  const { ok = true, output, exitCode = ok ? 0 : 1, wasNotMade, ...claim } = how
  const text = output === undefined ? null : JSON.stringify(output)
  const made = wasNotMade === undefined ? {} : { wasNotMade }
  const report = { ok, output: text, exitCode, bytes: 0, costMicroUsd: 0, ...made }
  const reply = walk.send({ type: 'ReportCall', callId, report, ...claim })
  expect(reply.kind).toBe('accepted')
}

export function shell(command: string): Call {
  return callOf('bash', {
    tool: 'Bash',
    input: { command },
    act: 'shell',
    shell: readShell(command),
  })
}
