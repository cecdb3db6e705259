import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  type DoctorDoor,
  type HostsProof,
  type ProofCell,
  type ProveOptions,
  proofSeconds,
} from '../doctor/doctor-door.ts'
import { versionText } from '../version.ts'
import { type Bench, openBench } from './init.contract.ts'

const find = (version: string) => ({
  daemon: {
    find: () => ({ pid: 7, version, http: null }),
    socket: '/nowhere/daemon.sock',
    token: () => 'x',
  } as never,
})

/** A bench whose hooks find their client. */
function openHeld(): Bench {
  const bench = openBench()
  bench.host('claude', '2.1.325')
  const bin = join(bench.setup().home, 'bin')
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, 'pawl-hook'), '')
  return bench
}

test('a host without hooks here is said to be free, which is no fault', async () => {
  const bench = openHeld()
  const { code, out } = await bench.pawlWith(find(versionText()), 'doctor')
  expect(code).toBe(0)
  expect(out).toContain('claude    2.1.325')
  expect(out).toContain('not guarded in this folder: run `pawl init claude`')
  expect(out).toContain('codex     not found')
})

test.each([
  ['[[hooks]]\nevent = "Stop"\ncommand = "true"\nname = "x"\n', '8 of `[[hooks]]` has `name`'],
  ['x = = 1\n', 'invalid value'],
])('hooks that Kimi Code does not run are said not to work: %j', async (more, why) => {
  const bench = openHeld()
  bench.host('kimi', '2.1.0')
  await bench.pawl('init', 'kimi', '--yes')
  const doctor = async () => bench.pawlWith(find(versionText()), 'doctor')
  expect(await doctor()).toMatchObject({ code: 0, out: expect.stringContaining('active: every') })
  appendFileSync(join(bench.user, '.kimi-code/config.toml'), more)
  const { code, out } = await doctor()
  expect(code).toBe(1)
  expect(out).not.toContain('active: every')
  const text = out.replaceAll(/\s+/g, ' ')
  expect(text).toContain('problem not guarded: .kimi-code/config.toml:')
  expect(text).toContain(why)
  expect(text).toContain('; correct that file')
})

test('prices of the workspace that cannot be read are told with their line', async () => {
  const bench = openHeld()
  mkdirSync(join(bench.workspace, '.pawl'), { recursive: true })
  const path = join(bench.workspace, '.pawl', 'prices.json')
  writeFileSync(path, '{\n  "prices": { "m": { "input": 1 } }\n}\n')
  const { code, out } = await bench.pawlWith(find(versionText()), 'doctor')
  expect(code).toBe(1)
  expect(out).toContain('prices.json`, line 2: ')
  expect(out).toMatch(/every\s+model counts as the\s+most\s+expensive/)
  const checked = await bench.pawl('check', path)
  expect(checked.code).toBe(1)
  expect(checked.out).toContain('output')
})

test('a host with hooks in force is held, and its limits are said', async () => {
  const bench = openHeld()
  await bench.pawl('init', 'claude', '--yes')
  const { code, out } = await bench.pawlWith(find(versionText()), 'doctor')
  expect(code).toBe(0)
  expect(out).toContain('active: every tool call is judged before it runs')
  expect(out).toContain('--setting-sources user')
  // Nobody answers there, and that is said of jobs as well.
  expect(out).toMatch(/jobs +the daemon at .* does not answer/)
})

test('hooks that were taken out are a problem', async () => {
  const bench = openHeld()
  await bench.pawl('init', 'claude', '--yes')
  bench.write('.claude/settings.local.json', '{}')
  const { code, out } = await bench.pawlWith(find(versionText()), 'doctor', '--json')
  const { hosts } = JSON.parse(out)
  expect(code).toBe(1)
  expect(hosts[0]).toMatchObject({ host: 'claude', wire: 'http' })
  expect(hosts[0].problems[0]).toContain("no longer has Pawl's entries")
})

test('a missing client of hooks and a daemon of another version are problems', async () => {
  const bench = openBench()
  bench.host('claude', '2.1.325')
  await bench.pawl('init', 'claude', '--yes')
  const { code, out } = await bench.pawlWith(find('0.0.1'), 'doctor')
  expect(code).toBe(1)
  expect(out).toContain('the hook client is missing')
  expect(out).toContain('the daemon is version 0.0.1')
})

const stopped: ProofCell = { outcome: 'stopped', note: '' }

async function prove(cells: HostsProof['hosts'][number]['cells'], ...args: string[]) {
  const wishes: ProveOptions[] = []
  const doctor = async (): Promise<DoctorDoor> => ({
    provable: ['claude', 'codex'],
    prove: async (wish) => {
      wishes.push(wish)
      const host = { host: 'codex', version: '1.2.3', ms: 1, cells, fault: null }
      return { paths: { shell: 'shell', typed: 'typed text' }, hosts: [host] }
    },
  })
  const said = await openBench().pawlWith({ doctor }, 'doctor', '--prove', ...args)
  return { ...said, wishes }
}

test('a proof is a table, and what no hook reaches is no failure', async () => {
  const typed = { outcome: 'not enforceable', note: 'no hook; isolation covers it' } as const
  const { code, out, wishes } = await prove({ shell: stopped, typed }, 'codex')
  expect(code).toBe(0)
  expect(wishes).toEqual([{ about: 'hooks', hosts: ['codex'], secondsMax: null }])
  expect(out.split('\n').slice(0, 3)).toEqual([
    '            codex 1.2.3',
    'shell       stopped',
    'typed text  not enforceable',
  ])
  expect(out).toContain('! codex, typed text: not enforceable: no hook; isolation covers it')
})

test.each(['EXECUTED', 'not tried'] as const)('a canary that is %s fails', async (outcome) => {
  const { code } = await prove({ shell: stopped, typed: { outcome, note: '' } })
  expect(code).toBe(1)
})

test('a proof in a box is one of what code below the hook can do', async () => {
  const { wishes } = await prove({ shell: stopped, typed: stopped }, '--boxed')
  expect(wishes).toMatchObject([{ about: 'below the hook', hosts: [] }])
  expect((await openBench().pawl('doctor', '--boxed')).err).toContain('goes with `--prove`')
})

test('a proof as JSON says whether all is held', async () => {
  const { out } = await prove({ shell: stopped, typed: stopped }, '--json', '--timeout', '90')
  expect(JSON.parse(out)).toMatchObject({ holds: true, hosts: [{ host: 'codex' }] })
})

test('a host that can not be proved, and a time that is too short, are refused', async () => {
  expect((await prove({}, 'cursor')).code).toBe(2)
  expect((await prove({}, '--timeout', 'x')).err).toContain('`--timeout` must be 10 seconds')
  expect((await openBench().pawl('doctor', 'claude')).err).toContain('only with `--prove`')
})

test.each([
  [1, 60],
  [6, 60],
  [7, 90],
])('a proof of %i hosts may take %i seconds', (hosts, seconds) => {
  expect(proofSeconds(hosts)).toBe(seconds)
})
