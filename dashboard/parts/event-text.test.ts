/** The text of an event in a log. */
import { expect, test } from 'vitest'
import { eventTextFor, type Record } from './event-text.ts'

function textOf(data: object): string {
  const { title, about } = eventTextFor({ data } as unknown as Record)
  return `${title}: ${about}`
}

test('the end of a child run says which one it was', () => {
  const ended = { type: 'child.ended', child: 'r47f/unit.30', outcome: 'completed' }
  expect(textOf(ended)).toBe('unit ended: completed')
  expect(textOf({ ...ended, child: 'r47f' })).toBe('child run ended: completed')
})

test('values are shown with their names, and a call by what it is about', () => {
  const vars = { path: 'src', rows: 7 }
  const written = { type: 'vars.written', source: 'claimed', vars }
  expect(textOf(written)).toBe('values claimed: path: src, rows: 7')
  const call = {
    type: 'call.allowed',
    tool: 'edit',
    input: { filePath: 'src/a.ts', newString: '' },
  }
  expect(textOf(call)).toBe('edit: src/a.ts')
})

test('a tool of a server is shown with its server', () => {
  const call = {
    type: 'call.denied',
    tool: 'mcp__billing__refund',
    input: { order: 7 },
    reason: '',
  }
  expect(textOf(call)).toBe('billing · refund was denied: order: 7')
})
