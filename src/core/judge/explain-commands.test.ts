import { expect, test } from 'vitest'
import { machineOf, Walk } from '../engine/family-builder.contract.ts'
import { readCall } from '../tools/read-call.ts'
import { judge } from './judge.ts'
import { nothingAround } from './rule-input.ts'

const texts = [
  'X=1\nls',
  'X=1; ls',
  'X=$(ls); ls',
  'X=1 && ls',
  '> /dev/null; ls',
  'cd src && ls',
  'cd src; cd ..; ls',
  'xargs ls',
  'ls | xargs ls',
  'for i in a b; do ls $i; done',
  'if ls; then ls; fi',
  'ls <<E\nx\nE',
  'echo $(ls)',
  'ls $(ls)',
  'A=1 ls',
  'cat <<E | ls\nx\nE',
  '(ls)',
  '{ ls; }',
  'env ls',
  'timeout 5 ls',
  'bash -c "ls"',
  'set -e; ls',
  'true; ls',
  'export X=1; ls',
  'nice ls',
  'git status',
  'X=1',
  '',
  '#c',
  'while true; do ls; done',
  '! ls',
  'ls & wait',
  'bash -c "X=1; ls"',
  'X=1 Y=2; ls',
]
test('explanation and decision agree', () => {
  const bad: unknown[] = []
  for (const list of [
    ['ls'],
    ['ls', 'cd', 'echo'],
    ['ls', 'bash', 'env', 'timeout', 'xargs', 'git'],
    ['bash -c ls', 'ls'],
    [],
  ])
    for (const t of texts) {
      const machine = machineOf({
        id: 'w',
        initial: 'a',
        states: { a: { allowed_commands: list, on: { GO: 'b' } }, b: { type: 'final' } },
      } as never)
      const walk = new Walk({
        id: 'w',
        initial: 'a',
        states: { a: { allowed_commands: list, on: { GO: 'b' } }, b: { type: 'final' } },
      } as never)
      const call = readCall({ tool: 'Bash', input: { command: t } }, {
        workspace: '/w',
        machine,
      } as never)
      const ctx = { machine, state: walk.state(), at: 1, around: nothingAround }
      const d = judge(call, ctx)
      const e = judge(call, ctx, 'explanation')
      if (d.decision !== e.decision || (d.by.reason !== e.by.reason && d.decision !== 'allow'))
        bad.push([list, t, d.decision, d.by.reason, e.decision, e.by.reason])
    }
  console.log(bad.map((x) => JSON.stringify(x)).join('\n'))
  expect(bad).toEqual([])
})
test('same hash, other origins', () => {
  const one = machineOf({
    id: 'w',
    initial: 'a',
    states: { a: { blocked_env: ['X'], on: { GO: 'b' } }, b: { type: 'final' } },
  } as never)
  const two = machineOf({
    id: 'w',
    initial: 'a',
    states: { a: { deny_env: ['X'], on: { GO: 'b' } }, b: { type: 'final' } },
  } as never)
  console.log(
    one.hash === two.hash,
    JSON.stringify(one.origins?.stages.a),
    JSON.stringify(two.origins?.stages.a),
  )
})
