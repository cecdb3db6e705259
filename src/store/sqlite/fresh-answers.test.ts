import { expect, test } from 'vitest'
import { openFreshAnswers } from './fresh-answers.ts'

const moved = (from: number, to: number) => ({ from, to })

test('replies that were noted one after another are taken once, all of them', () => {
  const fresh = openFreshAnswers()
  fresh.note(1, moved(4, 5), 50)
  fresh.note(2, moved(0, 1), 10)
  fresh.note(1, moved(5, 7), 70)
  fresh.note(1, moved(7, 8), null)
  expect(fresh.take(1, moved(4, 8))).toEqual([
    [50, 5],
    [70, 7],
  ])
  expect(fresh.take(1, moved(4, 8))).toBeNull()
  expect(fresh.take(2, moved(0, 1))).toEqual([[10, 1]])
})

test('replies are not known where something in between was written by others', () => {
  const fresh = openFreshAnswers()
  fresh.note(1, moved(4, 5), 50)
  fresh.note(1, moved(6, 7), 70)
  expect(fresh.take(1, moved(4, 7))).toBeNull()
})

test('replies are not known from before they were noted, or behind', () => {
  for (const asked of [moved(3, 5), moved(4, 6)]) {
    const fresh = openFreshAnswers()
    fresh.note(1, moved(4, 5), 50)
    expect(fresh.take(1, asked)).toBeNull()
  }
})

test('of one log more than are remembered, nothing is known of any other', () => {
  const fresh = openFreshAnswers()
  for (let log = 0; log <= 1_000; log += 1) fresh.note(log, moved(0, 1), 10)
  expect(fresh.take(0, moved(0, 1))).toBeNull()
  expect(fresh.take(1_000, moved(0, 1))).toEqual([[10, 1]])
})
