/**
 * A job that names no run is judged by policies alone. Where a run is open, its stages are not to
 * be got around by leaving its name out.
 */
import { realpathSync } from 'node:fs'
import { isInside } from '../runner/find-workspace.ts'
import { JobFault } from '../runtime/job-fault.ts'
import { openStatuses } from '../runtime/open-statuses.ts'
import type { Runtime } from '../runtime/runtime.ts'

const pageLength = 500
/** More open runs than so many pages are not looked through: the job is refused. */
const pagesMax = 20

/** Fault `PolicyDenied`: a run is open for this workspace, or one above or below it. */
export async function refuseRunless(runtime: Runtime, workspace: string): Promise<void> {
  const real = realOf(workspace)
  let after: string | null = null
  for (let page = 0; page < pagesMax; page += 1) {
    const query = { statuses: [...openStatuses], workspace: null, definition: null }
    const { items, next } = await runtime.listRuns({ ...query, after, limit: pageLength })
    const found = items.find((head) => head.workspace !== null && touches(head.workspace, real))
    if (found !== undefined) throw denied(`the run \`${found.id}\` is open in this workspace`)
    if (next === null) return
    after = next
  }
  throw denied('more runs are open than can be looked through')
}

function touches(workspace: string, real: string): boolean {
  const other = realOf(workspace)
  return isInside(other, real) || isInside(real, other)
}

/** A workspace that is gone still has its name. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function denied(why: string): JobFault {
  return new JobFault('PolicyDenied', `${why}, so a job of an agent has to belong to a run`, {
    context: { code: 'RUN_REQUIRED' },
    recovery: [
      { action: 'name_run', description: 'Name the run with `run_id`, or have a person end it.' },
    ],
  })
}
