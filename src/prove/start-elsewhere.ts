/**
 * Sessions that are started where the hooks of the project may not be read: in another work tree,
 * by a link, and after the hooks were removed. Each makes one call.
 */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionPathId } from './canaries.ts'
import type { Tried } from './canary.ts'
import { drive, type Transcript } from './hosts/drive.ts'
import { drivers } from './hosts/drivers.ts'
import { fileText, putFile, type SandboxEnv } from './sandbox-env.ts'

/** Where sessions are started beside the project itself. */
export type OtherFolders = { readonly worktree: string; readonly link: string }

/** Makes another work tree, and a link to a folder of the project; before `pawl init`. */
export async function makeOtherFolders(world: SandboxEnv): Promise<OtherFolders> {
  putFile(world, 'sub/keep.txt', 'x\n')
  await world.git('add', 'sub')
  await world.git('commit', '-q', '-m', 'first')
  const [worktree, link] = [join(world.root, 'worktree'), join(world.root, 'link')]
  await world.git('worktree', 'add', '-q', worktree)
  symlinkSync(join(world.project, 'sub'), link)
  return { worktree, link }
}

/** Starts them one after the other, in a stage that permits reading only. */
export async function tryElsewhere(
  world: SandboxEnv,
  folders: OtherFolders,
  until: number,
): Promise<readonly Tried[]> {
  const inFolder = (id: SessionPathId, folder: string): Promise<Tried> =>
    trySession(world, { id, folder, until })
  const tried = [await inFolder('worktree', folders.worktree), await inFolder('link', folders.link)]
  await world.git('clean', '-fdxq')
  const removed = await inFolder('removed', world.project)
  // Stopped at its prompt, it never makes the call: then the daemon says so.
  const { out } = removed.hasLanded === null ? await world.pawl('status') : { out: '' }
  const isStopped = out.includes('not in force, and stopped')
  return [...tried, isStopped ? { ...removed, hasLanded: false } : removed]
}

type OneSession = { readonly id: SessionPathId; readonly folder: string; readonly until: number }

async function trySession(world: SandboxEnv, session: OneSession): Promise<Tried> {
  const { id, folder, until } = session
  const path = join(folder, `canary-${id}`)
  const { shell } = drivers[world.host].toolCalls
  const turns = [{ tools: [shell(`echo x > ${path}`)] }, { text: 'All done.' }]
  const timeoutMs = Math.max(1, until - performance.now())
  const transcript: Transcript = await drive({
    ...world,
    project: folder,
    script: { prompt: 'Do the work.', turns },
    timeoutMs,
  })
  const told = transcript.calls.flatMap((call) => call.told ?? [])
  const isTried = fileText(path) !== null || told.length > 0
  return { id, hasLanded: isTried ? fileText(path) !== null : null, told }
}
