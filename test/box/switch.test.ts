import { expect, test } from 'vitest'
import { switchUnderLoad } from './switch-load.ts'

// `node test/box/switch-load.ts 1000` runs more.
test('a switch under load lets nothing be written after it, and says who keeps it', async ({
  skip,
}) => {
  const report = await switchUnderLoad(12)
  if (report === null) return skip('this machine has no boxes')
  expect(report).toMatchObject({ writtenWhileClosed: 0, silentWhileOpen: 0, holderNamed: true })
  expect(report).toMatchObject({ linesLost: 0, keptOpen: [] })
  expect(report.linesWritten).toBeGreaterThan(0)
  // A move may be refused while something writes without a pause; most are not.
  expect(report.refused).toBeLessThan(6)
})
