import { expect, test } from 'vitest'
import { openGuardAlarms } from './guard-alarms.ts'

function openBench() {
  let now = 0
  let isTaken = true
  const sent: string[] = []
  const logged: string[] = []
  const alarms = openGuardAlarms({
    announce: async ({ title }) => {
      sent.push(title)
      return isTaken
    },
    now: () => now,
    log: (_, what) => void logged.push(what),
  })
  const wait = (ms: number): void => {
    now += ms
  }
  const take = (next: boolean): void => {
    isTaken = next
  }
  return { alarms, sent, logged, wait, take }
}

test('an alarm is told at once, shown for an hour, and not repeated within it', async () => {
  const { alarms, sent, wait } = openBench()
  await alarms.raise('hooks are gone')
  await alarms.raise('hooks are gone')
  await alarms.retry()
  expect(sent).toEqual(['hooks are gone'])
  expect(alarms.known()).toEqual(['hooks are gone'])
  wait(3_600_001)
  expect(alarms.known()).toEqual([])
  await alarms.raise('hooks are gone')
  expect(sent).toHaveLength(2)
})

test('what a channel does not take is tried again, for a while', async () => {
  const { alarms, sent, logged, take } = openBench()
  take(false)
  await alarms.raise('hooks are gone')
  await alarms.retry()
  expect(sent).toHaveLength(2)
  take(true)
  await alarms.retry()
  await alarms.retry()
  expect(sent).toHaveLength(3)
  take(false)
  await alarms.raise('another')
  for (let tries = 0; tries < 50; tries += 1) await alarms.retry()
  expect(sent).toHaveLength(3 + 30)
  expect(logged).toEqual(['an alarm could not be delivered'])
})

test('a flood keeps the latest alarms only', async () => {
  const { alarms, take } = openBench()
  take(false)
  for (let index = 0; index < 100; index += 1) await alarms.raise(`alarm ${index}`)
  expect(alarms.known()).toHaveLength(20)
  expect(alarms.known().at(-1)).toBe('alarm 99')
})
