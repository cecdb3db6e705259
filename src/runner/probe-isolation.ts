/** Tries how this machine can isolate a job, with a real job in a temporary folder. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import { findIsolation } from './find-isolation.ts'
import { hiddenPaths } from './hidden-paths.ts'
import { readEnd } from './job-files.ts'
import type { Mechanism } from './launch-argv.ts'
import { graceMs, segmentBytes } from './limits.ts'
import type { HeldJob } from './plan-job.ts'
import { lastLines } from './read-log.ts'
import type { RunnerSettings } from './runner-settings.ts'
import { launchJob } from './start-job.ts'
import { openSupervisor } from './supervisors.ts'
import { visibleHome } from './visible-home.ts'

/** A trial that takes longer is a failure. */
const trialMsMax = 5_000

export async function probeIsolation(settings: RunnerSettings): Promise<HeldJob> {
  if (process.platform === 'win32') {
    throw new JobFault('SpawnFailed', 'jobs cannot be isolated on Windows, so none is started', {
      recovery: [{ action: 'use_wsl', description: 'Run Pawl inside WSL.' }],
    })
  }
  const helper = await settings.helper()
  const means = await findIsolation(
    (mechanism) => whyUseless(settings, helper, mechanism),
    settings,
  )
  return { means, helper }
}

async function whyUseless(
  settings: RunnerSettings,
  helper: string,
  mechanism: Mechanism,
): Promise<string | null> {
  const folder = mkdtempSync(join(settings.folder, '.try-'))
  try {
    const workspace = join(realpathSync(folder), 'workspace')
    const scratch = join(folder, 'tmp')
    mkdirSync(workspace)
    mkdirSync(scratch)
    const supervisor = openSupervisor({ helper, groups: null })
    supervisor.process.ref()
    const gone = new Promise((resolve) => supervisor.process.once('exit', resolve))
    await launchJob(supervisor, {
      ...{ mechanism, folder, workspace, cwd: workspace, scratch },
      // WHY not Pawl's own folder: the trial works in there.
      hidden: hiddenPaths({ ...settings, own: [] }),
      home: visibleHome(settings),
      ...{ network: 'none', input: null },
      environment: { PATH: settings.path, HOME: '/tmp/home' },
      program: ['/bin/sh', '-c', 'echo held > kept && test -r kept'],
      numbers: {
        ...{ timeoutMs: trialMsMax, graceMs, leaseMs: trialMsMax, segmentBytes },
        ...{ outputBytesMax: segmentBytes, tmpBytes: segmentBytes, fileBytes: segmentBytes },
        ...{ cpuSeconds: 0, dataBytes: 0, processes: 0 },
      },
    })
    await gone
    const end = readEnd(folder)
    if (end?.code === 0) return null
    const said = lastLines(folder, 'stderr', { lines: 1, bytesMax: 300 })
    return said === '' ? `it ended with ${end?.code ?? end?.why ?? 'nothing'}` : said
  } catch (fault) {
    if (!(fault instanceof JobFault)) throw fault
    return fault.error.description
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
