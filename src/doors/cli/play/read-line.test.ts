import { expect, test } from 'vitest'
import { compileDefinition } from '../../../core/dialects/compile-definition.ts'
import type { Json } from '../../../core/json.ts'
import { sourceOf } from '../../../core/source/source.ts'
import { startWalk, takeAct, type Walk, type WalkAction } from '../../../testing/walk.ts'
import { completeLine } from './complete.ts'
import type { PlayInput, Situation } from './input.ts'
import { lineCharsMax, readLine } from './read-line.ts'
import { fix, order, talk } from './sample-definitions.contract.ts'
import { situationOf } from './session.ts'

function walkOf(definition: unknown, ...acts: readonly WalkAction[]): Walk {
  const [machine] = compileDefinition(sourceOf(definition as Json)).machines
  const started = startWalk({
    machine: machine!,
    library: () => undefined,
    stage: null,
    vars: {},
    policies: [],
  })
  if ('kind' in started) throw new Error(started.reason)
  return acts.reduce(takeAct, started)
}

function read(walk: Walk, line: string): PlayInput {
  return readLine(line, (branch) => situationOf(walk, branch))
}

function actsOf(walk: Walk, line: string): unknown {
  const input = read(walk, line)
  return input.kind === 'acts' ? input.acts : input
}

function troubleOf(walk: Walk, line: string): string {
  const input = read(walk, line)
  return input.kind === 'unclear' ? `${input.trouble.message} → ${input.trouble.hint}` : input.kind
}

const coding = walkOf(fix)
const notes = walkOf(talk)
const who = walkOf(order)
const branch = null

test('a signal is read with its data', () => {
  expect(actsOf(coding, 'READY')).toEqual([{ kind: 'signal', name: 'READY', data: null, branch }])
  expect(actsOf(coding, ' READY  a=1 ')).toMatchObject([{ name: 'READY', data: { a: 1 } }])
  expect(actsOf(coding, '@lint READY {"a": 1}')).toMatchObject([{ branch: 'lint', data: { a: 1 } }])
  expect(actsOf(coding, '@main READY')).toMatchObject([{ branch: null }])
})

test('an event of another stage, or what looks like one, is sent: the definition decides', () => {
  expect(actsOf(coding, 'MERGE')).toMatchObject([{ kind: 'signal', name: 'MERGE' }])
  expect(actsOf(coding, 'QUUX')).toMatchObject([{ kind: 'signal', name: 'QUUX' }])
  expect(actsOf(coding, 'send anything x=1')).toMatchObject([{ name: 'anything', data: { x: 1 } }])
})

test.each([
  ['REDY', '`REDY` is neither a command nor an event here → did you mean `READY`?'],
  ['hepl', 'did you mean `help`?'],
  ['quux', 'to send it anyway, write `send quux`'],
  ['READY 12', '`12` after `READY` is not data → write `READY key=value`'],
  ['coverage=12', 'this is data without an event → write `DATA coverage=12`'],
  ['submit a=1', 'only a form has fields to submit'],
  ['call', '`call` needs a tool'],
  [
    'call lookup 12',
    'it is unclear which input of `lookup` `12` is → write `call lookup key=value`',
  ],
  ['report ok=1', '`ok` is true or false'],
  ['report bytes=-1', '`bytes` must be a number'],
  ['report speed=1', 'a report has no field `speed`'],
  ['done', '`done` needs the name of a branch → no fork is open'],
  ['wait long', '`long` is not a time'],
  ['undo x', 'unknown command `undo x`'],
  ['undo 0', 'unknown command `undo 0`'],
  ['save', '`save` needs a file'],
  ['force', '`force` needs a stage'],
  ['pause now', 'unknown command `pause now`'],
  ['/nothing', 'unknown command `/nothing`'],
  ['send', '`send` needs a name'],
  [`DATA a=${'x'.repeat(lineCharsMax)}`, `at most ${lineCharsMax}`],
])('%s is explained', (line, words) => {
  expect(troubleOf(coding, line)).toContain(words)
})

test('a command behind a shell tool is taken whole, JSON stays JSON', () => {
  const input = (line: string): unknown => {
    const acts = actsOf(coding, line) as { input: unknown }[]
    return acts[0]?.input
  }
  expect(input('call Bash CI=1 npm test -- --grep "a b"')).toEqual({
    command: 'CI=1 npm test -- --grep "a b"',
  })
  expect(input('call Bash {"command": "ls"}')).toEqual({ command: 'ls' })
  expect(input('call Bash { ls; }')).toEqual({ command: '{ ls; }' })
  expect(input('call Read a b.md')).toEqual({ file_path: 'a b.md' })
  expect(input('call Grep pattern=x path=src')).toEqual({ pattern: 'x', path: 'src' })
  expect(input('call lookup {"id": 7}')).toEqual({ id: 7 })
  expect(input('call lookup')).toEqual({})
})

test('`call!` is a call and its report', () => {
  const acts = actsOf(coding, 'call! Read a') as WalkAction[]
  expect(acts.map((one) => one.kind)).toEqual(['call', 'report'])
})

test('the queued call is made without writing it out', () => {
  const calling = {
    ...order,
    steps: [
      {
        id: 'A',
        goal: 'g',
        on: { enter: [{ action: 'call', name: 'lookup', arguments: { id: 7 } }] },
        inputs: [{ name: 'x' }],
      },
    ],
  }
  const walk = walkOf(calling)
  const call = { kind: 'call', tool: 'lookup', input: { id: 7 } }
  expect(actsOf(walk, 'call')).toMatchObject([call])
  expect(actsOf(walk, 'call lookup')).toMatchObject([call])
})

test('persons and the clock are read', () => {
  expect(actsOf(coding, 'approve it is fine')).toMatchObject([{ note: 'it is fine' }])
  expect(actsOf(coding, 'pause release')).toMatchObject([{ by: 'person', release: true }])
  expect(actsOf(coding, 'resume person')).toMatchObject([{ by: 'person' }])
  expect(actsOf(coding, 'force review a=1')).toMatchObject([{ stage: 'review', vars: { a: 1 } }])
  expect(actsOf(coding, 'wait 61s')).toMatchObject([{ kind: 'wait', time: '61s' }])
  expect(actsOf(coding, 'done lint')).toMatchObject([{ name: 'BRANCH_DONE:lint' }])
})

test('nothing and comments are nothing', () => {
  expect(['', '   ', '# READY'].map((line) => read(coding, line).kind)).toEqual(
    Array(3).fill('nothing'),
  )
})

test('an answer carries no data, and an unknown one is explained', () => {
  expect(actsOf(notes, 'not sure')).toEqual([{ kind: 'answer', answer: 'not sure', branch }])
  expect(troubleOf(notes, 'yes a=1')).toContain('an answer carries no data')
  expect(troubleOf(notes, 'perhaps not')).toContain('to send it anyway, write `send perhaps not`')
  expect(actsOf(notes, 'send perhaps not')).toMatchObject([{ answer: 'perhaps not' }])
})

test('what could be two answers in other capitals is explained', () => {
  const twins = structuredClone(talk)
  Object.assign(twins.states.notes.answers, { Soon: { next: 'ship' }, SOON: { next: 'ship' } })
  expect(troubleOf(walkOf(twins), 'soon')).toBe(
    '`soon` could be `Soon` or `SOON` → write it exactly',
  )
})

test('a form takes pairs, JSON, its tool and steps to go to', () => {
  const submit = { kind: 'submit', inputs: { name: '7' }, goTo: null }
  expect(actsOf(who, 'name=7')).toMatchObject([submit])
  expect(actsOf(who, 'submit name=7')).toMatchObject([submit])
  expect(actsOf(who, 'submit_order name=7')).toMatchObject([submit])
  expect(actsOf(who, '{"name": 7}')).toMatchObject([{ inputs: { name: 7 } }])
  expect(actsOf(who, 'submit')).toMatchObject([{ inputs: {} }])
  expect(actsOf(who, 'goto WHAT name=7')).toMatchObject([{ ...submit, goTo: 'WHAT' }])
  expect(troubleOf(who, 'Ann')).toContain('to fill in a field, write `name=…`')
  expect(troubleOf(who, 'send Ann')).toContain('a form takes fields')
})

function hits(walk: Walk, line: string): string[] {
  return completeLine(line, (name): Situation => situationOf(walk, name))[0]
}

test('signals, commands, tools, stages, fields and guards are completed', () => {
  expect(hits(coding, 'REA')).toEqual(['READY '])
  expect(hits(coding, '')).toContain('undo')
  expect(hits(coding, 'call R')).toEqual(['Read '])
  expect(hits(coding, 'call ')).toEqual(['Read', 'Edit', 'Bash'])
  expect(hits(coding, 'force rev')).toEqual(['review '])
  expect(hits(coding, 'READY ')).toEqual(['coverage='])
  expect(hits(notes, 'not')).toEqual(['not sure '])
  expect(hits(notes, 'not su')).toEqual(['not sure '])
  expect(hits(who, 'na')).toEqual(['name='])
  expect(hits(who, 'name=Ann ph')).toEqual(['phone='])
})

test('commands that make no sense now are not offered', () => {
  expect(hits(coding, '')).not.toContain('approve')
  expect(hits(coding, '')).not.toContain('goto')
  const forked = walkOf(fix, { kind: 'signal', name: 'SPLIT', data: null, branch })
  expect(hits(forked, '@')).toEqual(['@lint ', '@unit '])
  expect(hits(forked, 'done ')).toEqual(['lint', 'unit'])
  expect(hits(forked, '@unit PA')).toEqual(['PASS '])
})

test('a bare text is offered as the one field that is missing', () => {
  const inputs = { name: 'Ann' }
  const walk = walkOf(order, { kind: 'submit', inputs, goTo: null, branch })
  expect(troubleOf(walk, '0123')).toContain('to fill in a field, write `phone=0123`')
  expect(troubleOf(walk, '01 23')).toContain('to fill in a field, write `phone="01 23"`')
})
