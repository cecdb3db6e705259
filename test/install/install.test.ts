/**
 * From nothing to a guarded repository: the package, installed by npm with a clean home and no
 * compiler on the PATH, on every Node that it supports.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  diskBytes,
  type InstalledPackage,
  installPackage,
  nodeOf,
  pack,
  putTools,
  scratchFolder,
  whyNotPrebuilt,
} from './package.ts'

/** Without the Node that comes along. */
const installedBytesMax = 40 * 1024 * 1024
const olderNodes = ['18.20.8', '20.20.2', '22.23.3']
const scratches: string[] = []
/** Installed for everything with the oldest Node, and for one project with the newest only. */
let [whole, bare]: InstalledPackage[] = []
/** Why nothing can be installed without a compiler; null: it can. */
let why: string | null = null

function scratch(name: string): string {
  const folder = scratchFolder(name)
  scratches.push(folder)
  return folder
}

type Said = { readonly status: number | null; readonly stdout: string; readonly stderr: string }

/** A user: their Node, their home, their repository, and the `pawl` that they call. */
class User {
  readonly env: Record<string, string>
  readonly repository = join(scratch('work'), 'project')
  readonly program: string

  constructor(node: string, installed: InstalledPackage | undefined) {
    const home = scratch('home')
    this.program = installed?.program ?? ''
    this.env = { PATH: putTools(scratch('tools'), node), HOME: home }
    mkdirSync(this.repository)
    this.#run('git', ['init', '--quiet'])
  }

  pawl(...args: readonly string[]): Said {
    return this.#run(this.program, args)
  }

  /** What a host does with the hook that it finds in its settings. */
  hook(payload: object): Said {
    const settings = readFileSync(join(this.repository, '.claude', 'settings.local.json'), 'utf8')
    const { command } = JSON.parse(settings).hooks.PreToolUse[0].hooks[0]
    return this.#run('sh', ['-c', command], JSON.stringify(payload))
  }

  start(verb: 'serve' | 'demo'): ChildProcess {
    return spawn(this.program, [verb], { cwd: this.repository, env: this.env })
  }

  /** A file of the data directory. */
  data(...path: readonly string[]): string {
    return join(this.env.HOME ?? '', '.local', 'share', 'pawl', ...path)
  }

  #run(file: string, args: readonly string[], input = ''): Said {
    const { repository: cwd, env } = this
    return spawnSync(file, args, { cwd, env, input, encoding: 'utf8', timeout: 300_000 })
  }
}

/** The address in what `pawl serve` prints. */
async function addressOf(server: ChildProcess): Promise<string> {
  let said = ''
  for await (const text of server.stdout?.setEncoding('utf8') ?? []) {
    said += text
    const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)
    if (found !== null) return found[0]
  }
  throw new Error(`\`pawl serve\` ended: ${said}`)
}

/** The kinds of segments that a 64-bit ELF file has. */
function segmentTypes(elf: Buffer): readonly number[] {
  const [start, size, count] = [elf.readBigUInt64LE(32), elf.readUInt16LE(54), elf.readUInt16LE(56)]
  return Array.from({ length: count }, (_, at) => elf.readUInt32LE(Number(start) + at * size))
}

describe.runIf(process.platform === 'linux')('installed from the package', () => {
  beforeAll(() => {
    const { tarball } = pack(scratch('pack'))
    why = whyNotPrebuilt()
    if (why !== null) return
    whole = installPackage({ node: nodeOf(olderNodes[0] ?? ''), tarball, as: 'global', scratch })
    bare = installPackage({ node: process.execPath, tarball, as: 'project', scratch })
  }, 10 * 60_000)
  beforeEach(({ skip }) => skip(why !== null, why ?? ''))
  afterAll(() => {
    for (const folder of scratches) rmSync(folder, { recursive: true, force: true })
  })

  test('it takes at most 40 MB beside Node', () => {
    const bytes = diskBytes(whole?.folder ?? '', [`node-linux-${process.arch}`])
    console.log(`installed size without Node: ${(bytes / 1024 / 1024).toFixed(1)} MB`)
    expect(bytes).toBeLessThanOrEqual(installedBytesMax)
  })

  test.each([
    ['linux-x64', 62, null],
    ['linux-arm64', 183, 'qemu-aarch64-static'],
  ])('the programs for %s are static, and run where they can be run', (machine, elf, emulator) => {
    const isNative = machine === `linux-${process.arch}`
    const programs = join(whole?.folder ?? '', 'prebuilt', machine)
    if (!isNative && !existsSync(programs)) {
      return console.log(`${machine} was left out: there is no compiler for it here`)
    }
    for (const name of ['pawl-hook', 'pawl-job']) {
      const path = join(programs, name)
      const header = readFileSync(path)
      expect(header.readUInt16LE(18), 'the machine in the ELF header').toBe(elf)
      expect(segmentTypes(header), 'an interpreter would load libraries').not.toContain(3)
    }
    const client = join(programs, 'pawl-hook')
    const [file = '', ...args] = isNative || emulator === null ? [client] : [emulator, client]
    const { status, stderr, error } = spawnSync(file, args, { encoding: 'utf8' })
    if (error !== undefined) return console.log(`${machine} was not run: ${error.message}`)
    expect([status, stderr]).toEqual([2, expect.stringContaining('Pawl: blocked: ')])
  })

  test('an old Node alone is refused, with what is missing and what to do', () => {
    const { status, stdout, stderr } = new User(nodeOf('18.20.8'), bare).pawl('--version')
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^pawl: Node 24 or newer is required, this is `v18.20.8`/)
    expect(stderr).toContain('--omit=optional')
  })

  test.each([...olderNodes, 'newest'])(
    'on Node %s a repository is guarded',
    async (version) => {
      const installed = version === 'newest' ? bare : whole
      const node = version === 'newest' ? process.execPath : nodeOf(version)
      const user = new User(node, installed)
      const example = join(installed?.folder ?? '', 'examples', 'workflow', 'tdd-bug-fix.json')
      onTestFinished(() => void user.pawl('stop'))
      expect(user.pawl('--version')).toMatchObject({ status: 0, stdout: '0.1.0\n', stderr: '' })
      expect(user.pawl('check', example)).toMatchObject({ status: 0, stderr: '' })
      expect(user.pawl('check', '/no/such/file')).toMatchObject({ status: 2 })
      expect(user.pawl('init', 'claude', '--command', '--yes')).toMatchObject({ status: 0 })
      expect(user.pawl('start', example)).toMatchObject({ status: 0 })
      const tool_input = { file_path: join(user.repository, 'a.txt'), content: 'a' }
      const call = { session_id: 's1', cwd: user.repository, tool_name: 'Write', tool_input }
      const denied = user.hook({ ...call, hook_event_name: 'PreToolUse', tool_use_id: 't1' })
      const { hookSpecificOutput: answer } = JSON.parse(denied.stdout)
      expect(answer.permissionDecision).toBe('deny')
      expect(answer.permissionDecisionReason).toContain('TOOL_NOT_ALLOWED')
      expect(user.pawl('log').stdout).toContain('Write')
      const job = user.pawl('job', 'run', '--', '/bin/sh', '-c', 'echo from a job')
      expect(job.stdout, job.stderr).toContain('from a job')
      for (const stamp of ['hook.stamp', 'job.stamp']) {
        expect(JSON.parse(readFileSync(user.data('bin', stamp), 'utf8')).kind).toBe('prebuilt')
      }
      expect(user.pawl('stop')).toMatchObject({ status: 0 })
      const server = user.start('serve')
      const page = await fetch(await addressOf(server))
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script')])
      server.kill('SIGTERM')
      expect(await once(server, 'exit')).toEqual([0, null])
    },
    120_000,
  )

  const oldest = olderNodes[0] ?? ''
  test.each([oldest, 'newest'])(
    'on Node %s the demo is blocked, found out, and asks',
    async (version) => {
      const isNewest = version === 'newest'
      const user = new User(isNewest ? process.execPath : nodeOf(version), isNewest ? bare : whole)
      // WHY another Node: a job does not see the temporary folder with the tools of the user.
      user.env.PATH = `${user.env.PATH}:${dirname(nodeOf(oldest))}`
      const demo = user.start('demo')
      let said = ''
      for await (const text of demo.stdout ?? []) {
        said += String(text)
        if (/waits for you|has stopped/.test(said)) break
      }
      expect(said).toContain('`Edit` may not be used in `understanding`')
      expect(said).toContain('the last `node --test` exited 1')
      expect(said).toContain('saw the tests pass (exit code 0)')
      demo.kill('SIGTERM')
      expect(await once(demo, 'exit')).toEqual([0, null])
    },
    120_000,
  )
})
