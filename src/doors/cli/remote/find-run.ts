/**
 * Finds the run that a command line names by its id or the start of it, the open one here, or the
 * last one here.
 */
import { dirname } from 'node:path'
import { closestName } from '../../../core/closest-name.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import type { RunHead } from '../../../runtime/ports.ts'
import { PawlProblem } from '../../api/problem.ts'
import { usage } from '../options.ts'
import type { RemoteContext } from './remote-verb.ts'

const pageRuns = 500
/** Pages that are looked through. */
const pagesMax = 20

/** The run with this id, or whose id begins so; without a name, the one that is open here. */
export async function findRun(name: string | undefined, asked: RemoteContext): Promise<string> {
  if (name === undefined) return onlyOneHere(asked)
  const { remote } = asked
  if (await isRun(name, remote)) return name
  const isMeant = ({ id }: RunHead): boolean => id.startsWith(name)
  const heads = await latestHeads(remote, (some) => some.filter(isMeant).length > 1)
  const [only, second] = heads.filter(isMeant).map(({ id }) => id)
  if (only === undefined) throw unknownRun(name, heads)
  if (second === undefined) return only
  throw severalFit(name, 'run', [only, second])
}

/** The run whose id is written almost like this, or the latest one of the definition so named. */
function unknownRun(name: string, heads: readonly RunHead[]): PawlError {
  const near = closestBeginning(
    name,
    heads.map((head) => head.id),
  )
  const latest = heads.find((head) => head.definition === name)
  const all = '`pawl runs --all` lists them'
  const hint =
    near !== null
      ? `did you mean \`${near}\`?`
      : latest === undefined
        ? all
        : `the latest run of \`${name}\` is \`${latest.id}\`; ${all}`
  return new PawlError('RUN_UNKNOWN', `there is no run \`${name}\``, { hint })
}

/** The id that begins almost like the text. */
export function closestBeginning(text: string, ids: readonly string[]): string | null {
  const near = closestName(
    text,
    ids.map((id) => id.slice(0, text.length)),
  )
  return ids.find((id) => near !== null && id.startsWith(near)) ?? null
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
  throw usage(verb, `${why}; name a run: \`pawl runs --all\` lists them`)
}

/**
 * The run that is open here, or else the one that was changed last in this folder, or in the
 * nearest folder above it that has any. For verbs that only look.
 */
export async function findLastRun({ remote, io, verb }: RemoteContext): Promise<string> {
  const named = io.env?.PAWL_RUN ?? ''
  const caller = { workspace: io.cwd, ...(named === '' ? {} : { runId: named }) }
  const located = await remote.call('runs.locate', caller)
  if (located.kind === 'run') return located.runId
  for (let folder = io.cwd; ; folder = dirname(folder)) {
    const { items } = await remote.call('runs.list', { workspace: folder, limit: 1 })
    if (items[0] !== undefined) return items[0].id
    if (folder === dirname(folder)) break
  }
  throw usage(verb, 'there was no run in this folder yet; `pawl runs --all` lists all runs')
}

/** The latest runs, page by page, until there are enough. */
async function latestHeads(
  remote: RemoteContext['remote'],
  isEnough: (heads: readonly RunHead[]) => boolean,
): Promise<readonly RunHead[]> {
  const found: RunHead[] = []
  let after: string | null = null
  for (let page = 0; page < pagesMax; page += 1) {
    const query: { limit: number; after?: string } = { limit: pageRuns }
    if (after !== null) query.after = after
    const answer: { items: readonly RunHead[]; next: string | null } = await remote.call(
      'runs.list',
      query,
    )
    found.push(...answer.items)
    after = answer.next
    if (after === null || isEnough(found)) break
  }
  return found
}

/** A fault where the beginning of an id fits more than one. */
export function severalFit(
  beginning: string,
  what: string,
  [first, second]: readonly [string, string],
): PawlError {
  const hint = `write more of the id: \`${first}\` or \`${second}\``
  return new PawlError('USAGE', `\`${beginning}\` fits more than one ${what}`, { hint })
}
