/**
 * Boxes as part of a daemon: the sockets in each box, over which its agent speaks and nobody else.
 * WHY no token: whoever reaches such a socket is in the box, whatever it shows.
 */
import { randomBytes } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, extname, join } from 'node:path'
import { doorInBox } from '../boxes/box-folder.ts'
import { type OpenBoxDoors, type OpenBoxes, openBoxes } from '../boxes/open-boxes.ts'
import { installHookClient } from '../daemon/install-hook-client.ts'
import { installJobHelper } from '../daemon/install-job-helper.ts'
import type { LogLine } from '../daemon/log-file.ts'
import { newId } from '../daemon/new-id.ts'
import type { Api } from '../doors/api/api.ts'
import type { Caller } from '../doors/api/caller.ts'
import type { HookAnswerer } from '../doors/hook/answer-hook.ts'
import { clientName } from '../doors/hook/hook-command-line.ts'
import { openHookDoor } from '../doors/hook/open-hook-door.ts'
import { openSocketDoor } from '../doors/socket/open-socket-door.ts'
import type { JobsConfig } from '../home/config-jobs.ts'
import type { Home } from '../home/home.ts'
import type { HeldJob } from '../runner/plan-job.ts'
import { probeIsolation } from '../runner/probe-isolation.ts'
import type { FilesPort } from '../runtime/runs/handle-command.ts'
import type { Runtime } from '../runtime/runtime.ts'

type BoxesContext = {
  readonly runtime: Runtime
  readonly home: Home
  readonly config: JobsConfig
  readonly log: LogLine
  readonly context: HookAnswerer
  readonly coming: BoxesToCome
}

/** What is asked for before it is there: runs move, and boxes speak, once doors are open. */
type BoxesToCome = {
  readonly files: FilesPort
  boxes: OpenBoxes | null
  api: Api | null
}

export function boxesToCome(): BoxesToCome {
  const coming: BoxesToCome = {
    files: {
      follow: async (...moved) => coming.boxes?.follow(...moved),
      undo: async (...moved) => coming.boxes?.undo(...moved),
    },
    boxes: null,
    api: null,
  }
  return coming
}

export function openDaemonBoxes(context: BoxesContext): OpenBoxes {
  const { runtime, home, config, log, coming } = context
  const own = home.socketFolder === null ? [home.folder] : [home.folder, home.socketFolder]
  const settings = {
    ...{ own, limits: config.limits, now: Date.now, homePaths: [...config.home, ...ownPrograms] },
    folder: home.boxes,
    helper: () => installJobHelper(home),
    userFolders: [...new Set([homedir(), userInfo().homedir])],
    path: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  }
  let held: Promise<HeldJob> | null = null
  coming.boxes = openBoxes({
    ...{ settings, config, newId, log },
    held: () => {
      mkdirSync(home.boxes, { recursive: true, mode: 0o700 })
      held ??= probeIsolation({ ...settings, onEnd: () => undefined }).catch((fault: unknown) => {
        // The next one to ask tries again: a compiler may have been installed.
        held = null
        throw fault
      })
      return held
    },
    openDoors: (box) => openBoxDoors(context, box),
    readPlace: async (runId) => {
      const family = await runtime.readFamily(runId)
      const workspace = (await runtime.readHead(runId))?.workspace ?? null
      const where = { runId, branch: null, workspace: workspace ?? '/' }
      return { workspace, family, minIsolations: await runtime.minIsolations(where) }
    },
  })
  return coming.boxes
}

const program = join(import.meta.dirname, `pawl${extname(import.meta.filename)}`)

/** Node and Pawl themselves, which the hook client and the MCP server are run by. */
const ownPrograms = [dirname(dirname(process.execPath)), dirname(dirname(import.meta.dirname))]

type DoorPlace = Parameters<OpenBoxDoors>[0]

async function openBoxDoors(
  { home, context, coming, log }: BoxesContext,
  { folder, runId, workspace, hints }: DoorPlace,
): ReturnType<OpenBoxDoors> {
  await writeClient({ home, folder, workspace })
  const onFault = (fault: unknown): void => log('error', 'a hook failed', { fault: String(fault) })
  const hooks = await openHookDoor({
    // INVARIANT: what comes over this socket is about this run and this folder.
    answer: (asked) => {
      const { scope: _, ...rest } = asked
      return context.answer({ ...rest, workspace, runId, box: hints })
    },
    authenticate: () => true,
    path: join(folder, 'hook.sock'),
    onFault,
  })
  const door = await openSocketDoor({
    api: boxApi(coming, runId),
    path: join(folder, 'daemon.sock'),
  })
  return { close: () => Promise.all([hooks.close(), door.close()]) }
}

/** The client of hooks and what it reads, as the box has them. */
async function writeClient({ home, folder, workspace }: ClientPlace): Promise<void> {
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true, mode: 0o700 })
  const node = process.execPath
  const { path } = await installHookClient(home, { node, program })
  const inBox = (name: string): string => `${doorInBox}/${name}`
  const conf = {
    socket: inBox('hook.sock'),
    secrets: inBox('bin/hook.secrets'),
    ...{ node, program, home: doorInBox },
  }
  const lines = Object.entries(conf).map(([name, value]) => `${name} ${value}\n`)
  const put = (name: string, text: string): void =>
    writeFileSync(join(folder, name), text, { mode: 0o600 })
  put('bin/hook.conf', lines.join(''))
  // WHY words that are no secret: the socket says who asks, and clients want something to send.
  put('bin/hook.secrets', `${encodeURIComponent(workspace)} box\n`)
  put('agent.token', `${randomBytes(32).toString('base64url')}\n`)
  const draft = join(bin, `${clientName}.part`)
  copyFileSync(path, draft)
  chmodSync(draft, 0o700)
  renameSync(draft, join(bin, clientName))
}

type ClientPlace = Pick<DoorPlace, 'folder' | 'workspace'> & { readonly home: Home }

/** The API as the agent of one run has it, whatever token is shown. */
function boxApi(coming: BoxesToCome, runId: string): Api {
  const serving = (): Api => {
    if (coming.api === null) throw new Error('bug: a box was served before its daemon')
    return coming.api
  }
  const caller = (): Caller | null => {
    const { agents, authenticate } = serving()
    return agents === null ? null : authenticate(agents.issueForRun(runId))
  }
  return {
    ...serving(),
    authenticate: caller,
    // It is counted with the sockets of its daemon.
    metrics: { ...serving().metrics, addGauge: () => undefined },
  }
}
