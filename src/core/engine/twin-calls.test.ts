import { describe, expect, test } from 'vitest'
import { callOf, policyOf } from '../policy/policy-builder.contract.ts'
import { readShell } from '../shell/read-shell.ts'
import { Walk } from './family-builder.contract.ts'

const guards = { green: { evidence: 'npm test', exit: 0, fresh: true } }
const toEnd = { END: { target: 'z', guards: ['green'] } }
const work = { id: 'w', initial: 'a', guards, states: { a: { on: toEnd }, z: { type: 'final' } } }
const whose = { caller: 'hook:gemini:s', key: 'contents:abc' } as const

/** A host that does not name its calls, so that the same call twice has one key. */
function openTwins(): { begin: (fingerprint: string) => void; end: (exit: number) => Walk } {
  const after = { capability: 'bash', input: { command: 'npm test' } }
  const walk = new Walk(work, [policyOf({ allow: [{ capability: 'deploy', after }] })])
  const command = 'npm test'
  const bash = { tool: 'run_shell_command', input: { command }, act: 'shell' } as const
  const call = callOf('bash', { ...bash, shell: readShell(command), workspace: '/workspace' })
  return {
    begin: (fingerprint) => {
      walk.at += 1_000
      walk.workspace = { folder: '/workspace', fingerprint }
      walk.send({ type: 'CheckCall', call, ...whose })
    },
    end: (exitCode) => {
      const report = { ok: exitCode === 0, output: '', exitCode, bytes: 0, costMicroUsd: 0 }
      walk.send({ type: 'ReportCall', callId: null, ...whose, grade: 'host', report })
      return walk
    },
  }
}

function allowsOf(walk: Walk): readonly unknown[] {
  return [walk.call(callOf('deploy', { declaresChange: false })).verdict, walk.fire('END').kind]
}

describe('the same call twice at a time, from a host that does not name its calls', () => {
  test('is no evidence: nobody knows which of the two has ended', () => {
    const { begin, end } = openTwins()
    begin('good')
    begin('broken')
    expect(allowsOf(end(0))).toEqual(['deny', 'refused'])
  })

  test('is none either when the other one ends', () => {
    const { begin, end } = openTwins()
    begin('good')
    begin('broken')
    end(1)
    const walk = end(0)
    expect(walk.state().openCalls).toEqual([])
    expect(allowsOf(walk)).toEqual(['deny', 'refused'])
  })

  test('counts once it is made alone', () => {
    const { begin, end } = openTwins()
    begin('good')
    begin('good')
    end(0)
    end(0)
    begin('good')
    expect(allowsOf(end(0))).toEqual(['allow', 'accepted'])
  })
})
