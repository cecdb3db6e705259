/** Programs of a session in the real helper: each start is noted, and what is forbidden fails. */
import { execFileSync } from 'node:child_process'
import {
  accessSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLoadBox } from './switch-load.ts'

/** Does what is put into the workspace as `todo`, and leaves what it said as `done`. */
const follower = `
while :; do
  if [ -e todo ]; then sh ./todo > part 2>&1; rm todo; mv part done; fi
  sleep 0.02
done`

const self = process.getuid?.() ?? 0
const nobody = 65_534
/** Root can also be somebody else. */
const users = self === 0 ? [0, nobody] : [self]

type Words = (workspace: string) => readonly string[]

async function openFollowing(words: Words = () => [], uid = self) {
  const box = await openLoadBox(follower, words, uid)
  if (box === null) return null
  onTestFinished(() => box.end())
  const { control, workspace, pid } = box
  const path = (name: string): string => join(workspace, name)
  const ran = async (since: number) => {
    const answer = await control.ask(['programs', String(since)])
    if (answer.kind !== 'ran') throw new Error(JSON.stringify(answer))
    return answer
  }
  /** What a script said, and what was started meanwhile, without what the follower needs. */
  const follow = async (script: string) => {
    const { total } = await ran(Number.MAX_SAFE_INTEGER)
    writeFileSync(path('draft'), script)
    renameSync(path('draft'), path('todo'))
    await expect.poll(() => existsSync(path('done')), { timeout: 20_000 }).toBe(true)
    const { programs } = await ran(total)
    const said = readFileSync(path('done'), 'utf8')
    execFileSync('rm', [path('done')])
    const own = /\/(?:sh|rm|mv|sleep|ln)$/
    return { said, programs: programs.filter((one) => !own.test(one.path)) }
  }
  return { control, path, pid, ran, follow }
}

const noBoxes = 'this machine has no boxes'

test.for(users)('as user %i programs are noted, and what is not there is not', async (uid, t) => {
  const box = await openFollowing(() => [], uid)
  if (box === null) return t.skip(noBoxes)
  const { programs } = await box.follow(
    'for i in 1 2 3; do /usr/bin/true; done; ./none; env -i /usr/bin/id -u; ./script',
  )
  expect(programs).toEqual([
    { path: '/usr/bin/true', count: 3 },
    expect.objectContaining({ path: expect.stringMatching(/\/env$/), count: 1 }),
    { path: '/usr/bin/id', count: 1 },
  ])
})

test('a path is named as it was given, also by a relative one and by an open file', async (t) => {
  const box = await openFollowing((workspace) => {
    copyFileSync('/usr/bin/true', join(workspace, 'mine'))
    mkdirSync(join(workspace, 'deep'))
    symlinkSync('../mine', join(workspace, 'deep/link'))
    return []
  })
  if (box === null) return t.skip(noBoxes)
  const { programs } = await box.follow(
    './mine; cd deep; ./link; exec 9< ../mine; /proc/self/fd/9; /dev/fd/9; ' +
      'ln -s /proc/self/root self; ./self/usr/bin/true',
  )
  const mine = box.path('mine')
  expect(programs.map(({ path, count }) => [path, count])).toEqual([
    ['./mine', 1],
    ['./link', 1],
    [mine, 1],
    ['/dev/fd/9', 1],
    ['./self/usr/bin/true', 1],
  ])
})

test('a name with a line break in it cannot pass for another line', async (t) => {
  const box = await openFollowing()
  if (box === null) return t.skip(noBoxes)
  const { programs } = await box.follow(
    'name=$(printf \'a\\n\\nok\\n9\\t0\\tb\'); cp /usr/bin/true "$name"; "./$name"',
  )
  expect(programs.map(({ path }) => path)).toContain('./a\\x0a\\x0aok\\x0a9\\x090\\x09b')
})

test('only so many programs are told, and their number is known', async (t) => {
  const box = await openFollowing()
  if (box === null) return t.skip(noBoxes)
  const { total } = await box.ran(0)
  await box.follow('for i in $(seq 60); do ln -s /usr/bin/true "p$i"; "./p$i"; done')
  const after = await box.ran(total)
  expect(after.programs).toHaveLength(40)
  expect(after.total - total).toBeGreaterThan(60)
})

const forbidden = ['id', 'whoami']

test.for(users)('as user %i a stage forbids programs, and the next allows them', async (uid, t) => {
  const box = await openFollowing(() => [], uid)
  if (box === null) return t.skip(noBoxes)
  const { control, follow } = box
  expect(await control.ask(['mode', 'write', '--', ...forbidden])).toEqual({ kind: 'ok' })
  const denied = await follow('id -u; /usr/bin/whoami; cp /usr/bin/id copy; cat /usr/bin/id')
  expect(denied.said).not.toMatch(/^\d|^root/m)
  expect(denied.said).toMatch(/id may not be started in this stage/)
  const refused = denied.programs.filter((one) => one.isDenied)
  expect(refused.map(({ path }) => path)).toEqual(['/usr/bin/id', '/usr/bin/whoami'])
  expect(await control.ask(['mode', 'write', '--', 'whoami'])).toEqual({ kind: 'ok' })
  expect((await follow('id -u; whoami')).said).toMatch(/^\d+\n.*whoami may not be started/s)
  expect(await control.ask(['mode', 'read'])).toEqual({ kind: 'ok' })
  expect(await control.ask(['mode', 'write'])).toEqual({ kind: 'ok' })
  expect((await follow('id -u && whoami')).said).toMatch(/^\d+\n\w+\n$/)
})

const detours = {
  'its loader': '/lib64/ld-linux-x86-64.so.2 /usr/bin/id -u',
  'a link to it': 'ln -s /usr/bin/id other; ./other -u',
  'another name in front': 'env -- id -u',
  'a folder that is another for everybody': 'ln -s /proc/self/root d; ./d/usr/bin/id -u',
  'an open file': 'exec 9< /usr/bin/id; /proc/self/fd/9 -u',
  'a copy that is made now': 'cp /usr/bin/id other; chmod +x other; ./other -u',
  'a script that asks for it': "printf '#!/usr/bin/id -u\\n' > s; chmod +x s; ./s",
  'taking the cover off': 'umount /usr/bin/id; rm -f /usr/bin/id; id -u',
}
test.for(Object.entries(detours))('a forbidden program does not start by %s', async (way, t) => {
  const box = await openFollowing(() => ['denied=id'])
  if (box === null) return t.skip(noBoxes)
  const { said } = await box.follow(`${way[1]}`)
  expect(said).not.toMatch(/^\d+$/m)
})

const withRace =
  (...words: readonly string[]): Words =>
  (workspace) => {
    const source = join(import.meta.dirname, 'race-exec.c')
    execFileSync('cc', ['-O2', '-pthread', '-o', join(workspace, 'race'), source])
    return words
  }

test('a program whose path changes while it is looked at does not start', async (t) => {
  const box = await openFollowing(withRace('denied=id'))
  if (box === null) return t.skip(noBoxes)
  const { said, programs } = await box.follow('./race 300 /usr/bin/id /usr/bin/wc')
  expect(programs.some(({ path }) => path === '/usr/bin/wc')).toBe(true)
  expect(said).not.toMatch(/^\d+$/m)
})

test('a program that is nowhere while it is looked at does not start unnoted', async (t) => {
  const box = await openFollowing(withRace())
  if (box === null) return t.skip(noBoxes)
  const { said, programs } = await box.follow('./race 300 /usr/bin/id /usr/bin/zz')
  const started = said.match(/^\d+$/gm)?.length ?? 0
  const noted = programs.reduce((sum, { path, count }) => sum + (path === './race' ? 0 : count), 0)
  expect(started).toBeGreaterThan(0)
  expect(noted).toBeGreaterThanOrEqual(started)
})

test('a switch that is refused leaves files and programs as they were', async (t) => {
  const box = await openFollowing(() => ['denied=whoami'])
  if (box === null) return t.skip(noBoxes)
  const { control, path, follow } = box
  await follow('sleep 60 > held & echo')
  expect((await control.ask(['mode', 'read', '--', 'id'])).kind).toBe('busy')
  expect((await control.ask(['mode', 'scratch', '--'])).kind).toBe('busy')
  const { said } = await follow('id -u; whoami; echo still > written')
  expect(said).toMatch(/^\d+\n.*whoami may not be started/s)
  expect(readFileSync(path('written'), 'utf8')).toBe('still\n')
})

test('a switch whose programs cannot be denied leaves all as it was', async (t) => {
  const box = await openFollowing()
  if (box === null) return t.skip(noBoxes)
  const { control, path, follow } = box
  const shell = realpathSync('/bin/sh').replace(/.*\//, '')
  for (const name of [shell, 'sh', 'bash', 'env', 'sleep/../sh']) {
    expect((await control.ask(['mode', 'read', '--', 'id', name])).kind).toBe('fault')
  }
  expect((await follow('id -u; echo still > written')).said).toMatch(/^\d+$/m)
  expect(existsSync(path('written'))).toBe(true)
})

test('what hooks are run by cannot be denied by the name of another link to it', async (t) => {
  const box = await openFollowing(() => ['needed=/usr/bin/id'])
  if (box === null) return t.skip(noBoxes)
  const answer = await box.control.ask(['mode', 'write', '--', 'id'])
  expect(answer).toEqual({
    kind: 'fault',
    why: '`id` is `/usr/bin/id` here, which hooks need: it cannot be denied',
  })
})

test('a link that the box has made does not say what is denied', async (t) => {
  const box = await openFollowing((workspace) => {
    mkdirSync(join(workspace, 'bin'))
    return [`variable=PATH=${workspace}/bin:${workspace}/other:/usr/bin:/bin`]
  })
  if (box === null) return t.skip(noBoxes)
  const { control, follow } = box
  await follow('ln -s /usr/bin/wc bin/id; ln -s /usr/bin other; ln -s wc bin/sum')
  expect(await control.ask(['mode', 'write', '--', 'id', 'whoami'])).toEqual({ kind: 'ok' })
  const { said } = await follow('/usr/bin/wc -c < bin/id; /usr/bin/whoami; /usr/bin/id -u')
  expect(said).toMatch(/^\d+\n.*whoami may not be started.*id may not be started/s)
})

/** Folders that boxes show. A checkout may be in `/tmp` or in a home, which are others in a box. */
const placesInBoxes = ['/opt', '/srv', '/usr/local/lib']

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

test('a denied program that is replaced is denied again by the next switch', async (t) => {
  const folder = placesInBoxes.find(isWritable)
  if (folder === undefined) return t.skip(`none can be written to: ${placesInBoxes.join(', ')}`)
  const place = mkdtempSync(join(folder, '.pawl-test-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const [program, other] = [join(place, 'mine'), join(place, 'other')]
  copyFileSync('/usr/bin/id', program)
  const words = () => [`variable=PATH=${place}:/usr/bin:/bin`, 'denied=mine']
  const box = await openFollowing(words)
  if (box === null) return t.skip(noBoxes)
  const { control, follow } = box
  expect((await follow('mine -u')).said).toContain('may not be started')
  copyFileSync('/usr/bin/id', other)
  renameSync(other, program)
  expect(await control.ask(['mode', 'write', '--', 'mine'])).toEqual({ kind: 'ok' })
  expect((await follow('mine -u')).said).toContain('may not be started')
  expect(await control.ask(['mode', 'write', '--'])).toEqual({ kind: 'ok' })
  expect((await follow('mine -u')).said).toMatch(/^\d+\n/)
})

test('a path of many parts keeps no other start waiting', async (t) => {
  const box = await openFollowing()
  if (box === null) return t.skip(noBoxes)
  // Each link leads through the one before it, by two thousand parts.
  const parts = "long=$(printf './%.0s' $(seq 2000))"
  const links = 'ln -s "$long" l0; for i in $(seq 38); do ln -s "$long"l$((i-1)) l$i; done'
  const begun = performance.now()
  const { said } = await box.follow(
    `${parts}; ${links}; for i in 1 2 3 4; do "l38/$long"none 2> /dev/null; echo $?; done`,
  )
  expect(said).toBe('127\n'.repeat(4))
  expect(performance.now() - begun).toBeLessThan(10_000)
})

test('programs that start with a file open for writing do not stop a switch', async (t) => {
  const box = await openFollowing()
  if (box === null) return t.skip(noBoxes)
  const storm = 'while :; do /usr/bin/true > out; sleep 0.005; done'
  const beside = `sh -c '${storm}' > /dev/null 2>&1 &`
  await box.follow(`${beside} ${beside} echo`)
  let refused = 0
  for (let round = 0; round < 20; round += 1) {
    for (const mode of ['read', 'write']) {
      if ((await box.control.ask(['mode', mode])).kind !== 'ok') refused += 1
    }
  }
  expect(refused).toBe(0)
})

test('a box ends although its supervisor hears of all of it at once', async (t) => {
  const box = await openFollowing()
  if (box === null) return t.skip(noBoxes)
  process.kill(box.pid, 'SIGSTOP')
  writeFileSync(box.path('todo'), 'kill -9 $PPID')
  const children = readFileSync(`/proc/${box.pid}/task/${box.pid}/children`, 'utf8').trim()
  const first = Math.max(...children.split(' ').map(Number))
  const stateOf = (pid: number): string =>
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] ?? ''
  await expect.poll(() => stateOf(first)).toBe('Z')
  process.kill(box.pid, 'SIGCONT')
  await expect.poll(() => existsSync(`/proc/${box.pid}`)).toBe(false)
})

test('a record that ends takes the box with it', async (t) => {
  const box = await openFollowing()
  if (box === null) return t.skip(noBoxes)
  const { pid, control } = box
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  // There is no way out here: the other one is the first process of the box.
  expect(children).toHaveLength(2)
  process.kill(Math.min(...children.map(Number)), 'SIGKILL')
  await expect.poll(async () => (await control.ask(['tell'])).kind).toBe('fault')
  await expect.poll(() => children.some((one) => existsSync(`/proc/${one}/root/usr`))).toBe(false)
})

test('names that could not be held are a fault, and nothing else opens', async (t) => {
  const box = await openFollowing(() => ['denied=id', 'mode=read'])
  if (box === null) return t.skip(noBoxes)
  for (const name of ['a/b', '', 'x'.repeat(65)]) {
    expect((await box.control.ask(['mode', 'write', '--', name])).kind).toBe('fault')
  }
})

test('switches of programs leave no mounts behind', async (t) => {
  const box = await openFollowing()
  if (box === null) return t.skip(noBoxes)
  const mounts = async () => (await box.follow('cat /proc/self/mountinfo')).said.split('\n').length
  const before = await mounts()
  for (let round = 0; round < 5; round += 1) {
    await box.control.ask(['mode', 'write', '--', ...forbidden])
    await box.control.ask(['mode', 'write', '--', 'id'])
    await box.control.ask(['mode', 'write'])
  }
  expect(await mounts()).toBe(before)
})
