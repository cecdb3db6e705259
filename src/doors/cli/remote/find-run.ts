/**
 * Which run is meant: the one that is named, by the beginning of its id, or the one at hand here.
 */
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { RunHead } from '../../../runtime/ports.ts'
import { PawlProblem } from '../../api/problem.ts'
import { usage } from '../options.ts'
import type { RemoteContext } from './remote-verb.ts'

const pageRuns = 500
/** Pages that are looked through for the beginning of an id. */
const pagesMax = 20

/** The run of that id, or whose id begins so; without a name, the one that is open here. */
export async function findRun(name: string | undefined, asked: RemoteContext): Promise<string> {
  if (name === undefined) return onlyOneHere(asked)
  const { remote } = asked
  if (await isRun(name, remote)) return name
  return onlyOne(name, await runsBeginning(name, remote), 'run')
}

/** WHY by its records: a run whose log is damaged cannot be read, but it can be looked into. */
async function isRun(runId: string, remote: RemoteContext['remote']): Promise<boolean> {
  try {
    await remote.call('runs.events', { runId, limit: 1 })
    return true
  } catch (thrown) {
    if (thrown instanceof PawlProblem && thrown.code === 'RUN_UNKNOWN') return false
    throw thrown
  }
}

async function onlyOneHere({ remote, io, verb }: RemoteContext): Promise<string> {
  const runId = io.env?.PAWL_RUN
  const named = runId === undefined || runId === '' ? {} : { runId }
  const located = await remote.call('runs.locate', { workspace: io.cwd, ...named })
  if (located.kind === 'run') return located.runId
  const why = located.kind === 'none' ? 'no run is open in this folder' : located.reason
  throw usage(verb, `${why}; name one, \`pawl runs --all\` lists them`)
}

async function runsBeginning(
  beginning: string,
  remote: RemoteContext['remote'],
): Promise<readonly string[]> {
  const found: string[] = []
  let after: string | null = null
  for (let page = 0; page < pagesMax; page += 1) {
    const query: { limit: number; after?: string } = { limit: pageRuns }
    if (after !== null) query.after = after
    const answer: { items: readonly RunHead[]; next: string | null } = await remote.call(
      'runs.list',
      query,
    )
    const ids = answer.items.map((head) => head.id).filter((id) => id.startsWith(beginning))
    found.push(...ids)
    after = answer.next
    if (after === null || found.length > 1) break
  }
  return found
}

/** The one id that begins so. */
export function onlyOne(beginning: string, ids: readonly string[], what: string): string {
  const [only, second] = ids
  if (only === undefined) {
    const code = what === 'run' ? 'RUN_UNKNOWN' : 'APPROVAL_UNKNOWN'
    const hint = what === 'run' ? '`pawl runs --all` lists them' : '`pawl approvals` lists them'
    throw new PawlError(code, `there is no ${what} \`${beginning}\``, { hint })
  }
  if (second === undefined) return only
  const message = `\`${beginning}\` may be more than one ${what}`
  throw new PawlError('USAGE', message, { hint: `write more of it: \`${only}\` or \`${second}\`` })
}
