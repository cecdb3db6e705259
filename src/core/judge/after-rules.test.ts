/** Calls that need another call, or a command that was seen, first. */
import { describe, expect, test } from 'vitest'
import { openCallsMax } from '../engine/evolve.ts'
import type { Walk } from '../engine/family-builder.contract.ts'
import type { Command } from '../engine/types.ts'
import { callOf } from '../policy/policy-builder.contract.ts'
import type { PolicyDefinition } from '../policy/schema.ts'
import { end, forked, named, shell, under } from './order-walk.contract.ts'

type CheckedCall = Extract<Command, { type: 'CheckCall' }>

const deploy: PolicyDefinition = {
  allow: [{ capability: 'mcp:cd:deploy', after: { capability: 'mcp:ci:test' } }],
}

describe('a call that needs another one first', () => {
  test('is denied until that one has succeeded, and names the rule', () => {
    const walk = under(deploy)
    const denied = walk.call(named('mcp:cd:deploy'))
    expect(denied).toMatchObject({ verdict: 'deny', code: 'PREREQUISITE_MISSING' })
    expect(denied.rule).toBe('/policy/allow/0/after')
    expect(denied.hint).toContain('mcp:ci:test')
    end(walk, walk.call(named('mcp:ci:test')))
    expect(walk.call(named('mcp:cd:deploy')).verdict).toBe('allow')
  })

  test('is denied while that one is open, and after it has failed', () => {
    const walk = under(deploy)
    const open = walk.call(named('mcp:ci:test'))
    expect(walk.call(named('mcp:cd:deploy')).code).toBe('PREREQUISITE_MISSING')
    end(walk, open, { ok: false })
    expect(walk.call(named('mcp:cd:deploy')).code).toBe('PREREQUISITE_MISSING')
  })

  test('rests on no report that only the agent has made, unless the rule says so', () => {
    const walk = under(deploy)
    end(walk, walk.call(named('mcp:ci:test')), { isClaim: true })
    expect(walk.call(named('mcp:cd:deploy')).verdict).toBe('deny')
    const trusting = under({
      allow: [{ capability: 'mcp:cd:deploy', after: { capability: 'mcp:ci:test', claimed: true } }],
    })
    end(trusting, trusting.call(named('mcp:ci:test')), { isClaim: true })
    expect(trusting.call(named('mcp:cd:deploy')).verdict).toBe('allow')
  })

  test('is denied again once that one was too long ago', () => {
    const after = { capability: 'mcp:ci:test', within_seconds: 300 }
    const walk = under({ allow: [{ capability: 'mcp:cd:deploy', after }] })
    end(walk, walk.call(named('mcp:ci:test')))
    walk.at += 299_999
    expect(walk.call(named('mcp:cd:deploy')).verdict).toBe('allow')
    walk.at += 1
    expect(walk.call(named('mcp:cd:deploy'))).toMatchObject({ code: 'PREREQUISITE_MISSING' })
  })

  test('is denied again once a call was made that may change files, if it has to be fresh', () => {
    const after = { capability: 'mcp:ci:test', fresh: true }
    const walk = under({ allow: [{ capability: 'mcp:cd:deploy', after }] })
    const tests = (): void => end(walk, walk.call(named('mcp:ci:test')))
    const verdict = (): string => walk.call(named('mcp:cd:deploy')).verdict
    tests()
    end(walk, walk.call(callOf('read', { act: 'read' })))
    expect(verdict()).toBe('allow')
    const edit = walk.call(callOf('edit', { act: 'edit', edits: ['a.ts'] }))
    expect(verdict()).toBe('deny')
    tests()
    // The edit goes on while the tests run and after them.
    expect(verdict()).toBe('deny')
    end(walk, edit)
    expect(verdict()).toBe('deny')
  })

  describe('has to be fresh, and an earlier call was never reported', () => {
    const after = { capability: 'mcp:ci:test', fresh: true }
    const rules: PolicyDefinition = { allow: [{ capability: 'mcp:cd:deploy', after }] }
    const edit = callOf('edit', { act: 'edit', edits: ['a.ts'] })
    const verdictOn = (walk: Walk): string => walk.call(named('mcp:cd:deploy')).verdict
    const afterTests = (walk: Walk): string => {
      walk.at += 60_000
      end(walk, walk.call(named('mcp:ci:test')))
      return verdictOn(walk)
    }
    const heldBy = (walk: Walk, more: Partial<CheckedCall>): void => {
      walk.send({ type: 'CheckCall', call: shell('npm run build'), ...more })
    }

    test('is allowed once the other one was made again', () => {
      const walk = under(rules)
      end(walk, walk.call(named('mcp:ci:test')))
      // Its host asks the user, who says no.
      walk.call(edit)
      expect(verdictOn(walk)).toBe('deny')
      expect(afterTests(walk)).toBe('allow')
    })

    test('is denied if that call began while the other one ran', () => {
      const walk = under(rules)
      const tests = walk.call(named('mcp:ci:test'))
      walk.at += 1
      walk.call(edit)
      end(walk, tests)
      expect(verdictOn(walk)).toBe('deny')
    })

    test('is denied for as long as a job runs that may change files', () => {
      const walk = under(rules)
      heldBy(walk, { caller: 'job', holder: 'job:1' })
      expect(afterTests(walk)).toBe('deny')
      walk.at += 24 * 3_600_000
      expect(afterTests(walk)).toBe('deny')
    })

    test('is allowed a while after that call, if it is one of a gateway that may have died', () => {
      const walk = under(rules)
      heldBy(walk, { caller: 'gateway', holder: 'gateway:1' })
      expect(afterTests(walk)).toBe('deny')
      walk.at += 15 * 60_000
      expect(afterTests(walk)).toBe('allow')
    })

    test('is denied however many other calls were begun since', () => {
      const walk = under(rules)
      heldBy(walk, { caller: 'job', holder: 'job:1' })
      for (let count = 0; count < 2 * openCallsMax; count += 1) {
        walk.call(callOf('read', { act: 'read', input: { count } }))
      }
      expect(afterTests(walk)).toBe('deny')
    })
  })

  test('is compared with the arguments and the result of the other one', () => {
    const same = [
      { this: 'input.quote', earlier: 'output.id' },
      { this: 'input.to', earlier: 'input.to' },
    ]
    const walk = under({
      allow: [{ capability: 'mcp:bank:pay', after: { capability: 'mcp:bank:quote', same } }],
    })
    const quote = (to: string, id: number): void =>
      end(walk, walk.call(named('mcp:bank:quote', { to })), { output: { id } })
    quote('ann', 1)
    quote('bob', 2)
    const pay = (to: string, id: number): string =>
      walk.call(named('mcp:bank:pay', { to, quote: id })).verdict
    expect([pay('ann', 1), pay('bob', 2), pay('ann', 2), pay('bob', 1)]).toEqual([
      ...['allow', 'allow', 'deny', 'deny'],
    ])
    expect(walk.call(named('mcp:bank:pay', { to: 'ann' })).reason).toContain('`input.quote`')
  })

  test('needs every one of several, and only calls with the input that is named', () => {
    const after = [
      { capability: 'mcp:ci:test', input: { suite: 'all' } },
      { capability: 'mcp:ci:lint', input: { 'options.level': 'str*' } },
    ]
    const walk = under({ allow: [{ capability: 'mcp:cd:deploy', after }] })
    end(walk, walk.call(named('mcp:ci:test', { suite: 'fast' })))
    end(walk, walk.call(named('mcp:ci:lint', { options: { level: 'strict' } })))
    expect(walk.call(named('mcp:cd:deploy')).rule).toBe('/policy/allow/0/after/0')
    end(walk, walk.call(named('mcp:ci:test', { suite: 'all' })))
    expect(walk.call(named('mcp:cd:deploy')).verdict).toBe('allow')
  })

  test('is a command, however it is spelled, where a rule names commands', () => {
    const after = { capability: 'mcp:ci:test' }
    const walk = under({
      allow: [{ capability: 'bash', when: { commands: ['git push'] }, after }],
    })
    const verdicts = (commands: readonly string[]): readonly string[] =>
      commands.map((command) => walk.call(shell(command)).verdict)
    const pushes = [
      ...['git push', 'git push origin main', 'git -C x push', 'npm test && git push'],
      ...["bash -c 'git push'", 'env git push', '/usr/bin/git push', 'x=push; git $x', '$(cat x)'],
    ]
    expect(verdicts(pushes)).toEqual(pushes.map(() => 'deny'))
    expect(verdicts(['git status', 'npm test', 'git commit -m push', 'echo git push'])).toEqual(
      Array.from({ length: 4 }, () => 'allow'),
    )
    end(walk, walk.call(named('mcp:ci:test')))
    expect(walk.call(shell('git push')).verdict).toBe('allow')
  })

  test('is asked about only once its prerequisite is met', () => {
    const walk = under({ ask: [{ capability: 'mcp:cd:deploy', after: { capability: 'ci' } }] })
    expect(walk.call(named('mcp:cd:deploy')).verdict).toBe('deny')
    end(walk, walk.call(named('ci')))
    expect(walk.call(named('mcp:cd:deploy')).verdict).toBe('ask')
  })

  test('may have its prerequisite in another branch of the run', () => {
    const walk = under(deploy, forked)
    walk.fire('GO')
    const { callId } = walk.call(named('mcp:ci:test'), 'one')
    walk.report(0, callId, 'one')
    expect(walk.call(named('mcp:cd:deploy'), 'two').verdict).toBe('allow')
  })
})

describe('a call that needs a command first', () => {
  test('is denied where nobody knows how the command ended', () => {
    const after = { capability: 'bash', input: { command: 'npm test' } }
    const walk = under({ allow: [{ capability: 'mcp:cd:deploy', after }] })
    const verdictAfter = (exitCode: number | null): string => {
      end(walk, walk.call(shell('npm test')), { ok: exitCode !== 1, exitCode })
      return walk.call(named('mcp:cd:deploy')).verdict
    }
    expect([null, 1, 0].map(verdictAfter)).toEqual(['deny', 'deny', 'allow'])
  })

  const pushes: PolicyDefinition = {
    allow: [
      {
        capability: 'bash',
        when: { commands: ['git push'] },
        after: { evidence: 'npm test', fresh: true },
      },
    ],
  }
  const at = (fingerprint: string) => ({ folder: '/workspace', fingerprint })

  function tested(): Walk {
    const walk = under(pushes)
    walk.workspace = at('one')
    end(walk, walk.call(shell('npm test')), { grade: 'host' })
    return walk
  }

  test('is allowed once Pawl has seen it succeed, as long as no file changes', () => {
    const walk = under(pushes)
    walk.workspace = at('one')
    const denied = walk.call(shell('git push'))
    expect(denied).toMatchObject({ code: 'PREREQUISITE_MISSING', rule: '/policy/allow/0/after' })
    end(walk, walk.call(shell('npm test')), {})
    expect(walk.call(shell('git push')).verdict).toBe('deny')
    end(walk, walk.call(shell('npm test')), { grade: 'host' })
    expect(walk.call(shell('git push')).verdict).toBe('allow')
    walk.workspace = at('two')
    expect(walk.call(shell('git push')).verdict).toBe('deny')
    walk.workspace = undefined
    expect(walk.call(shell('git push')).verdict).toBe('deny')
  })

  test('is denied in another work tree', () => {
    const walk = tested()
    const elsewhere = { ...shell('git push'), workspace: '/other' }
    expect(walk.call(elsewhere).verdict).toBe('deny')
    expect(walk.call(shell('git push')).verdict).toBe('allow')
  })

  test('is denied while a call runs that may change files', () => {
    const walk = tested()
    const edit = walk.call(callOf('edit', { act: 'edit', edits: ['a.ts'] }))
    expect(walk.call(shell('git push')).reason).toContain('still running')
    end(walk, edit, { grade: 'host' })
    expect(walk.call(shell('git push')).verdict).toBe('allow')
  })

  test('waits for one that runs, and not for one that its host never reported', () => {
    const walk = under(pushes)
    walk.workspace = at('one')
    const check = (command: string) => {
      const waits = { ms: 50_000, behind: ['hook:s'] }
      return walk.send({ type: 'CheckCall', call: shell(command), caller: 'hook:s', waits })
    }
    check('npm test')
    expect(check('git push')).toMatchObject({ code: 'PREREQUISITE_RUNNING', waiting: {} })
    walk.at += 15 * 60_000
    const denied = check('git push')
    expect(denied).toMatchObject({ code: 'PREREQUISITE_MISSING' })
    expect(denied).not.toHaveProperty('waiting')
  })
})
