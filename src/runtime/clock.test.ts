import { expect, test } from 'vitest'
import { openClock } from './clock.ts'

function clockAt(wallMs: number, notBefore = 0) {
  const time = { wall: wallMs, steady: 500 }
  const clock = openClock({ wall: () => time.wall, steady: () => time.steady, notBefore })
  const pass = (ms: number, jump = 0): number => {
    time.wall += ms + jump
    time.steady += ms
    return clock.now()
  }
  return { clock, pass }
}

const day = 86_400_000

test('time follows the wall clock', () => {
  const { clock, pass } = clockAt(10_000)
  expect([clock.now(), pass(5), pass(1_000)]).toEqual([10_000, 10_005, 11_005])
})

test('a clock set back by a day goes on at the pace of the steady one', () => {
  const { pass } = clockAt(10 * day)
  const before = pass(1_000)
  expect(pass(1_000, -day)).toBe(before + 1_000)
  expect(pass(60_000)).toBe(before + 61_000)
})

test('a clock set forward is believed: questions run out, and nothing is counted twice', () => {
  const { pass } = clockAt(10 * day)
  expect(pass(0, day)).toBe(11 * day)
})

test('after a restart time goes on from what is on record', () => {
  const { clock, pass } = clockAt(9 * day, 10 * day)
  expect(clock.now()).toBe(10 * day)
  expect(pass(7)).toBe(10 * day + 7)
})
