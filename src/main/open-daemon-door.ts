/**
 * The daemon as the command line sees it: where it is, how it is started and stopped, and what
 * this program does without it.
 */
import { extname, join } from 'node:path'
import { readDaemonNote } from '../daemon/daemon-file.ts'
import { ensureDaemon, findStrangers, stopDaemon } from '../daemon/start-daemon.ts'
import type { DaemonDoor, ServeWish } from '../doors/cli/remote/daemon-door.ts'
import { type Environment, type Home, homeOf } from '../home/home.ts'
import { readToken } from '../home/tokens.ts'

const program = join(import.meta.dirname, `pawl${extname(import.meta.filename)}`)

/** The daemon of the data directory that an environment names. */
export function openDaemonDoor(env: Environment, cwd: string): DaemonDoor {
  const home = homeOf(env, cwd)
  const mayStart = env.PAWL_NO_AUTOSTART !== '1'
  return {
    folder: home.folder,
    socket: home.socket,
    hookSocket: home.hookSocket,
    find: () => readDaemonNote(home),
    strangers: () => findStrangers(home),
    token: (role) => readToken(home, role),
    ensure: () => ensureDaemon(home, mayStart ? program : null),
    stop: () => stopDaemon(home),
    // WHY loaded when called: a client needs neither the stores nor the doors.
    serve: async (wish, io) => {
      const { serve } = await import('./serve.ts')
      return serve(wish.shows === 'nothing' ? home : separateHome(wish.shows, env, cwd), wish, io)
    },
    mcp: async (wish, io) =>
      (await import('./run-mcp-server.ts')).mcp(wish, env.PAWL_RUN ?? '', io),
    gateway: async (wish, io) =>
      (await import('./run-gateway.ts')).gateway(wish, { folder: home.folder, env }, io),
    care: async (task, against) =>
      (await import('./offline-maintenance.ts')).maintainOffline(home, { task, against }),
    resetPasskeys: async (person) =>
      (await import('./offline-maintenance.ts')).resetPasskeysOffline(home, person),
    people: async () => (await import('../home/people-file.ts')).openPeopleDoor(home),
  }
}

type Shown = Exclude<ServeWish['shows'], 'nothing'>

/** WHY not the usual one: runs of a scripted agent must not be among the user's own. */
function separateHome(shows: Shown, env: Environment, cwd: string): Home {
  const { folder } = homeOf(env, cwd)
  const isNamed = (env.PAWL_HOME ?? '') !== ''
  const separate = isNamed ? folder : `${folder}-${shows}`
  // The demo has its project beside the data, in one folder that can be deleted as a whole.
  return homeOf({ ...env, PAWL_HOME: shows === 'demo' ? join(separate, 'data') : separate }, cwd)
}
