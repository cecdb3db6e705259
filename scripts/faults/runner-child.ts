/**
 * A daemon with nothing but a runner: starts jobs that it is told of, says their ids, and waits to
 * be killed. `node runner-child.ts FOLDER LEASE_MS COUNT COMMAND`
 */
import { openRunner } from '../../src/runner/open-runner.ts'
import { scratchSettings } from '../../src/runner/scratch.contract.ts'

const [folder = '', leaseMs = '1000', count = '0', command = 'true'] = process.argv.slice(2)
const settings = scratchSettings(folder)
const runner = openRunner({
  ...settings,
  limits: { ...settings.limits, leaseMs: Number(leaseMs) },
})
await runner.isolation()
for (let index = 0; index < Number(count); index += 1) {
  const { note } = await runner.start({
    ...{ id: `job_${process.pid}_${index}`, wish: { command, background: true } },
    ...{ workspace: `${folder}/workspace`, network: 'none', minIsolations: [] },
    ...{ runId: null, branch: null, callId: null, owner: 'person', asked: '' },
  })
  console.log(note.id)
}
console.log('ready')
setInterval(() => void runner.sweep(), 500)
