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
