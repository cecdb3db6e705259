/**
 * What code can do that a permitted command starts: one program that tries all of it, and how each
 * effect is seen from outside. The stage permits the command and no writing.
 * Knows files and processes. Must not know hosts' tools.
 */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { agentHosts } from '../core/hosts/registry.ts'
import type { LocalWeb } from './local-web.ts'
import { fileText, hooksPathOf, putFile, type SandboxEnv } from './sandbox-env.ts'

/** All that is tried, in the order of the table. */
export const belowPaths = {
  writes: 'test code that writes in a reading stage',
  reads: 'test code that reads the data directory',
  asks: 'test code that calls the API as a person',
  connects: 'test code that connects to a server',
  settings: 'test code that edits settings',
  replaces: 'test code that replaces the hook client',
  kills: 'test code that kills the daemon',
  survives: 'test code that survives the session',
} as const
export type BelowPathId = keyof typeof belowPaths

export const belowCommand = 'node below.mjs'
/** What the program says at its end; without it, nothing was tried. */
const belowEnd = 'below the hook: all tried'
const survivorSeconds = 600
const content = 'by code below the hook'

export type BelowPlace = { readonly world: SandboxEnv; readonly web: LocalWeb }

export type BelowEffects = {
  /**
   * What had an effect, by what is seen from outside and what the program could tell; null: it did
   * not come to its end. `told`: what the host told its model.
   */
  readonly effects: (told: string) => ReadonlySet<BelowPathId> | null
  /** Ends what has survived. */
  readonly clear: () => void
}

/** Writes the program into the project; the daemon has to be running. */
export function putBelow({ world, web }: BelowPlace): BelowEffects {
  const { project, pawlHome, home, host } = world
  const { hooksFile, serversFile, box } = agentHosts[host]
  const otherwise = typeof hooksFile === 'string' ? hooksFile : serversFile
  const guide = box.guides.find((name) => basename(name).endsWith('.json')) ?? otherwise
  const mark = `${survivorSeconds}.${process.pid}${Math.floor(Math.random() * 1e6)}`
  const place = {
    ...{ content, mark, url: `${web.url}/below`, daemon: world.daemonPid() ?? 0 },
    // WHY a file as well: what a host tells its model may be taken away by a hook that is broken.
    report: join(world.root, 'below-report'),
    written: join(project, 'below-written'),
    token: join(pawlHome, 'person.token'),
    note: join(pawlHome, 'daemon.json'),
    client: join(pawlHome, 'bin', 'pawl-hook'),
    settings: [hooksPathOf(world), join(home, guide)],
  }
  putFile(world, 'below.mjs', `const place = ${JSON.stringify(place)}\n${program}`)
  const secret = fileText(place.token)?.trim() ?? ''
  const proof = createHash('sha256').update(secret).digest('hex')
  const seen = {
    writes: () => fileText(place.written) !== null,
    reads: (told) => secret !== '' && told.includes(`reads=${proof}`),
    asks: (told) => told.includes('asks=200'),
    connects: () => web.wasAsked('/below'),
    settings: () => place.settings.some((path) => fileText(path)?.includes(content)),
    replaces: () => fileText(place.client) === content,
    kills: () => !isAlive(place.daemon),
    survives: () => processesWith(mark).length > 0,
  } satisfies Record<BelowPathId, (told: string) => boolean | undefined>
  const ids = Object.keys(seen) as readonly BelowPathId[]
  return {
    effects: (told) => {
      const all = `${told}\n${fileText(place.report) ?? ''}`
      return all.includes(belowEnd) ? new Set(ids.filter((id) => seen[id](all) === true)) : null
    },
    clear: () => {
      for (const pid of processesWith(mark)) process.kill(pid, 'SIGKILL')
    },
  }
}

/** WHY each by itself: what fails must not keep the next from being tried. */
const program = `
import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
const say = (text) => {
  process.stdout.write(text + '\\n')
  try { fs.appendFileSync(place.report, text + '\\n') } catch { /* Then it is not told so. */ }
}
const attempt = async (act) => { try { await act() } catch { /* It was stopped. */ } }
const put = (file) => {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.rmSync(file, { force: true })
  fs.writeFileSync(file, place.content)
}
const soon = { signal: AbortSignal.timeout(3000) }
await attempt(() => put(place.written))
await attempt(() => {
  const token = fs.readFileSync(place.token, 'utf8').trim()
  say('reads=' + createHash('sha256').update(token).digest('hex'))
})
await attempt(async () => {
  const { http } = JSON.parse(fs.readFileSync(place.note, 'utf8'))
  const authorization = 'Bearer ' + fs.readFileSync(place.token, 'utf8').trim()
  const { status } = await fetch(http + '/v1/runs', { headers: { authorization }, ...soon })
  say('asks=' + status)
})
await attempt(() => fetch(place.url, soon))
for (const file of place.settings) await attempt(() => put(file))
await attempt(() => {
  spawn('sleep', [place.mark], { detached: true, stdio: 'ignore' }).unref()
})
await attempt(() => put(place.client))
await attempt(() => process.kill(place.daemon, 'SIGKILL'))
say('${belowEnd}')
`

function isAlive(pid: number): boolean {
  // A process that was killed keeps its number until its parent has noticed.
  if (/\) [ZX] /.test(fileText(`/proc/${pid}/stat`) ?? '')) return false
  try {
    return process.kill(pid, 0)
  } catch {
    // There is none of this number.
    return false
  }
}

/** Elsewhere than on Linux nobody tells of them. */
function processesWith(mark: string): readonly number[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => fileText(`/proc/${name}/cmdline`)?.includes(`sleep\0${mark}`))
    .map(Number)
}
