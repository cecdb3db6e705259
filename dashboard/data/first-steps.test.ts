import { expect, test } from 'vitest'
import { firstStepsIn } from './first-steps.ts'

const of = (...types: readonly string[]) => firstStepsIn(types.map((type) => ({ type })))

test('a run that has just begun shows nothing yet', () => {
  expect(of('run.started', 'stage.entered')).toEqual({
    blocked: false,
    moved: false,
    decided: false,
  })
})

test('a denied call, a second stage and a decision of a person are steps', () => {
  expect(of('stage.entered', 'call.denied').blocked).toBe(true)
  expect(of('stage.entered', 'stage.entered').moved).toBe(true)
  expect(of('approval.requested').decided).toBe(false)
  expect(of('approval.granted').decided).toBe(true)
  expect(of('approval.refused').decided).toBe(true)
})
