/** An approval as a person reviews it in a terminal. */
import { expect, test } from 'vitest'
import { silentIo } from '../fake-io.contract.ts'
import type { RunChangesAnswer } from './diff-lines.ts'
import { type ApprovalItem, approvalsTable, approvalText } from './show-approval.ts'

const io = silentIo({ columns: 100 })
const colours = silentIo({ columns: 100, hasColour: true })

const base = {
  ...{ id: 'r4f0c1d2e3:1', runId: 'r4f0c1d2e3', member: 'r4f0c1d2e3', runTitle: 'Ship it' },
  ...{ hash: 'h', status: 'pending', requestedAt: Date.now() - 60_000, expiresAt: null },
  ...{ decidedAt: null, decidedBy: null, note: '', risks: [] },
} as const

const command = 'git status && rm -rf dist\u001b[2J'
const call = {
  ...base,
  kind: 'call',
  message: 'Bash?',
  pending: { tool: 'Bash', input: { command, timeout: 5 } },
  risks: [{ kind: 'deletion', why: 'deletes files', text: 'rm -rf dist', begin: 14 }],
} as unknown as ApprovalItem

const move = {
  ...base,
  kind: 'move',
  message: 'Merge?',
  pending: {
    ...{ signal: 'SHIP', data: { green: true }, refusal: 'stay' },
    move: { kind: 'goto', stage: 'done' },
    quorum: { needed: 2 },
    endorsements: [{ by: { kind: 'person', name: 'ada' }, note: 'fine', at: 1 }],
  },
  evidence: [{ grade: 'host', text: 'Pawl saw `npm test`: exit 0, 12 passed, 1m ago' }],
} as unknown as ApprovalItem

const lines = [
  { kind: 'del', text: 'one' },
  { kind: 'add', text: 'two\u009b31m' },
] as const
const file = {
  ...{ path: 'src/a.ts', kind: 'changed', added: 1, removed: 1, linesCut: 0, note: null },
  isEarlier: false,
  hunks: [{ oldStart: 4, newStart: 4, lines: [...lines] }],
} as const
const changes = {
  ...{ source: 'git', commit: '0123456789ab', folder: '/p', files: [file], filesCut: 0 },
} as unknown as RunChangesAnswer

test('a command is shown whole, with its risky parts marked and explained', () => {
  const text = approvalText(call, null, colours)
  expect(text).toContain('git status && \u001b[31mrm -rf dist\u001b[0m')
  expect(text).toMatch(/risky.*deletes files: rm -rf dist/)
  expect(text).toContain('Run this command?')
  expect(text).toContain('the agent can make exactly this call, once')
  expect(approvalText(call, null, io)).not.toContain('\u001b')
})

test('what Pawl saw stands beside what the agent says, with who has to agree', () => {
  const text = approvalText(move, null, io)
  expect(text).toMatch(/agent says +\{"green":true\}/)
  expect(text).toMatch(/^ *Pawl saw +`npm test`: exit 0/m)
  expect(text).toMatch(/people +.*approved by ada \(fine\)/)
  expect(text).toMatch(/if yes +the run moves on/)
  expect(text).toMatch(/if no +the run stays where it is/)
})

test('a command that only the agent saw is not what Pawl saw', () => {
  const [seen] = move.evidence ?? []
  const claim = { ...seen, grade: 'claimed', text: 'the agent says it ran `npm test`: exit 0' }
  const text = approvalText({ ...move, evidence: [claim] } as typeof move, null, io)
  expect(text).toMatch(/^ *agent says +it ran `npm test`: exit 0/m)
  expect(text).not.toContain('Pawl saw')
})

test('a command that Pawl ran itself is said to be that', () => {
  const job = { grade: 'job', text: 'Pawl ran `npm test`: exit 0' }
  const text = approvalText({ ...move, evidence: [job] } as unknown as typeof move, null, io)
  expect(text).toMatch(/^ *Pawl ran +`npm test`: exit 0/m)
})

test('a move that carries nothing says nothing', () => {
  const pending = { signal: 'SHIP', data: {}, move: { kind: 'goto', stage: 'done' } }
  const empty = { ...move, pending } as unknown as ApprovalItem
  expect(approvalText(empty, null, io)).not.toContain('agent says')
})

test('what changed in the run is a coloured diff that steers no terminal', () => {
  const text = approvalText(move, { changes, isWhole: false }, colours)
  expect(text).toContain('\u001b[31m  -one\u001b[0m')
  expect(text).toContain('\u001b[32m  +two\uFFFD31m\u001b[0m')
  expect(text).toContain('compared with 01234567')
  expect(approvalText(move, { changes, isWhole: false }, io)).toContain('  +two')
})

test('files are named as they are within the workspace of the run', () => {
  const files = [
    { ...file, path: '/p/src/a.ts' },
    { ...file, path: '/p2/b.ts' },
  ]
  const both = { ...changes, files } as unknown as RunChangesAnswer
  const text = approvalText(move, { changes: both, isWhole: true }, io)
  expect(text).toMatch(/^ +changed +src\/a\.ts {2}/m)
  expect(text).toMatch(/^ +src\/a\.ts$/m)
  expect(text).toMatch(/^ +changed +\/p2\/b\.ts {2}/m)
  expect(text).not.toContain('/p/')
})

test('a long diff is cut, says so, and is whole on request', () => {
  const many = Array.from({ length: 300 }, (_, index) => ({ kind: 'add', text: `l${index}` }))
  const hunks = [{ oldStart: 1, newStart: 1, lines: many }]
  const long = { ...changes, files: [{ ...file, hunks }] } as unknown as RunChangesAnswer
  const cut = approvalText(move, { changes: long, isWhole: false }, io)
  expect(cut).toMatch(/… \d+ more lines: add `--diff`/)
  expect(cut).not.toContain('+l299')
  expect(approvalText(move, { changes: long, isWhole: true }, io)).toContain('+l299')
})

test('the diff beside a call is shown on request', () => {
  const text = approvalText(call, { changes, isWhole: false }, io)
  expect(text).toContain('src/a.ts  +1 -1')
  expect(text).not.toContain('+two')
  expect(text).toContain('--diff')
  expect(approvalText(call, { changes, isWhole: true }, io)).toContain('+two')
})

test('files that were changed before the run come last, by name', () => {
  const earlier = { ...file, path: 'notes.txt', isEarlier: true }
  const both = { ...changes, files: [file, earlier] } as unknown as RunChangesAnswer
  const text = approvalText(move, { changes: both, isWhole: false }, io)
  expect(text).toContain('changed in this run: 1 file +1 -1')
  expect(text).toMatch(/changed before the run began: 1 file\n.*notes\.txt/)
})

test('risky calls stand out in the list, and come first', () => {
  const text = approvalsTable([move, call], io)
  expect(text).toContain('risky: Bash git status')
  expect(text.indexOf('risky')).toBeLessThan(text.indexOf('Merge?'))
  expect(text.split('\n').filter((line) => line.includes('Merge?'))).toHaveLength(1)
})
