/**
 * `npm run bench [-- NAME…]`: prints ratios against a baseline measured in the same run.
 */
import { benchBox, benchStarts } from './box.ts'
import { benchDashboard } from './dashboard.ts'
import { benchEvidence } from './evidence.ts'
import { benchGuard } from './guard.ts'
import { benchHooks } from './hooks.ts'
import { benchMachine } from './machine.ts'
import { benchMcp } from './mcp.ts'
import { benchProxy } from './proxy.ts'
import { benchRecord } from './record.ts'
import { benchRunner } from './runner.ts'

const benches: Readonly<Record<string, () => void | Promise<void>>> = {
  machine: benchMachine,
  guard: benchGuard,
  evidence: benchEvidence,
  record: benchRecord,
  hooks: benchHooks,
  mcp: benchMcp,
  proxy: benchProxy,
  dashboard: benchDashboard,
  runner: benchRunner,
  box: benchBox,
  starts: benchStarts,
}

const named = process.argv.slice(2)
const unknown = named.filter((name) => !Object.hasOwn(benches, name))
if (unknown.length > 0) {
  console.error(`no bench \`${unknown.join(', ')}\`; there is ${Object.keys(benches).join(', ')}`)
  process.exit(2)
}
console.log(`node ${process.version}, ${process.platform} ${process.arch}`)
for (const name of named.length === 0 ? Object.keys(benches) : named) await benches[name]?.()
