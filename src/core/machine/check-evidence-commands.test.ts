import { expect, it } from 'vitest'
import { compileEvidence, type EvidenceDefinition } from '../evidence/schema.ts'
import { build, type StageParts } from './check-builder.contract.ts'
import { checkContextOf } from './check-context.ts'
import { checkEvidenceCommands } from './check-evidence-commands.ts'
import type { Guard } from './machine.ts'

function seen(name: string, written: EvidenceDefinition): Guard {
  return { kind: 'evidence', name, requirement: compileEvidence(written), origin: '/guards' }
}
const green = seen('green', { evidence: 'npm test', exit: 0, fresh: true })
const red = seen('red', { evidence: 'npm test', exit: 'nonzero' })

function found(work: StageParts, guards: readonly Guard[]): string[] {
  const machine = build({
    work: { on: { READY: 'review' }, ...work },
    review: { on: { SHIP: { to: 'done', guards } } },
    later: { tools: ['Bash'], on: { END: 'done' } },
    done: 'final',
  })
  return checkEvidenceCommands(checkContextOf(machine)).map((one) => one.message)
}

const possible: readonly [string, StageParts, readonly Guard[]][] = [
  ['a stage before it lists the command', { tools: ['Bash'], commands: ['npm test'] }, [green]],
  ['a stage before it may run anything', { tools: 'all' }, [green]],
  ['Pawl runs the command', { tools: ['mcp__pawl__process_run'] }, [green]],
  ['a tool that nobody knows may run it', { tools: ['Frobnicate'] }, [green]],
  [
    'the command only reads',
    { tools: ['Bash'], commands: ['npm test'] },
    [seen('clean', { evidence: 'git diff --exit-code' })],
  ],
  ['it is only claimed', {}, [seen('said', { evidence: 'npm test', grade: 'claimed' })]],
]
for (const [title, work, guards] of possible) {
  it(`says nothing where ${title}`, () => {
    expect(found(work, guards)).toEqual([])
  })
}

it('finds evidence of a command that no stage on the way may run, with the way', () => {
  const message =
    'guard `green` can never hold on `SHIP`: `npm test` may not run in `work` and `review` ' +
    '(work → READY → review)'
  expect(found({}, [green])).toEqual([message])
  expect(found({ tools: ['Bash'], commands: ['npm run lint'] }, [green])).toEqual([message])
})

it('finds two requirements that the same command cannot meet at once', () => {
  const [message, ...rest] = found({ tools: ['Bash'] }, [green, red])
  expect(rest).toEqual([])
  expect(message).toContain('guards `green` and `red` exclude each other on `SHIP`')
  const other = seen('seven', { evidence: 'npm test', exit: 7 })
  expect(found({ tools: ['Bash'] }, [red, other])).toEqual([])
})
