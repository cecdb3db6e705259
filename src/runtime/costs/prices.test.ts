import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { highestPrices, knownPrices, type Price, priceUsage } from '../../core/prices.ts'
import { openPolicies } from '../definitions/policies.ts'
import { openPrices, readPrices } from './prices.ts'

function openHouse() {
  const workspace = mkdtempSync(join(tmpdir(), 'pawl-prices-'))
  onTestFinished(() => rmSync(workspace, { recursive: true }))
  mkdirSync(join(workspace, '.pawl'))
  const remarks: string[] = []
  const clock = { at: 0 }
  const remark = (why: string) => void remarks.push(why)
  const prices = openPrices({ base: knownPrices, now: () => clock.at, remark })
  const write = (models: Readonly<Record<string, Price>>) => {
    clock.at += 1_000
    const path = join(workspace, '.pawl', 'prices.json')
    writeFileSync(path, JSON.stringify({ prices: models }))
  }
  return { workspace, remarks, clock, prices, write }
}

/** A link to itself cannot be followed by anybody, whoever he is. */
function loop(path: string): void {
  symlinkSync(path, path)
}

test.each(['.pawl', '.pawl/prices.json'])(
  'where `%s` cannot be followed every model is the dearest, and that is told once',
  (name) => {
    const { workspace, remarks, clock, prices } = openHouse()
    if (name === '.pawl') rmSync(join(workspace, name), { recursive: true })
    loop(join(workspace, name))
    for (clock.at of [0, 10, 2_000]) expect(prices(workspace)).toEqual(highestPrices(knownPrices))
    expect(remarks).toEqual([expect.stringContaining('ELOOP')])
    expect(() => readPrices(join(workspace, '.pawl'), knownPrices)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
    unlinkSync(join(workspace, name))
    clock.at = 4_000
    expect(prices(workspace)).toEqual(knownPrices)
  },
)

test('a policy that cannot be followed stays a fault each time', () => {
  const { workspace, clock } = openHouse()
  loop(join(workspace, '.pawl', 'policy.json'))
  const policies = openPolicies(null, () => clock.at)
  for (clock.at of [0, 10, 2_000]) expect(() => policies(workspace)).toThrow(/ELOOP/)
})

const use = { input: 0, output: 1_000, cacheRead: 0, cacheWrite: 0 }

test('a workspace raises prices and adds models, and lowers nothing', () => {
  const { workspace, prices, write } = openHouse()
  const costOf = (model: string) => priceUsage(prices(workspace), { ...use, model }).microUsd
  write({ 'claude-sonnet-4-5': { input: 0, output: 20 }, house: { input: 1, output: 2 } })
  expect([costOf('claude-sonnet-4-5'), costOf('house')]).toEqual([20_000, 2_000])
  // Under a name that says more than that of the machine, too.
  const free = { input: 0, output: 0 }
  for (const name of ['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929']) {
    write({ [name]: free })
    expect(costOf(name)).toBe(15_000)
    expect(costOf('claude-sonnet-4-5-20250929')).toBe(15_000)
  }
})
