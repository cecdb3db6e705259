/** The native helper and Node must see the same, or evidence would depend on who looked. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { frameOf } from '../runtime/frame-words.ts'
import { takeFingerprint } from '../runtime/workspace/fingerprint.ts'
import { begin, openFolder, openObserver, seen, unseen } from './look.contract.ts'
import { childrenOf, compileHelper } from './scratch.contract.ts'

const observerFile = join(import.meta.dirname, '../runtime/workspace/observe-workspace.ts')

/** Counts how often git is run, by a git that is found before the real one. */
function countGit(folder: string): () => number {
  const count = join(folder, 'count')
  const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  execFileSync('mkdir', [join(folder, 'bin')])
  writeFileSync(join(folder, 'bin/git'), `#!/bin/sh\necho x >> ${count}\nexec ${real} "$@"\n`)
  chmodSync(join(folder, 'bin/git'), 0o755)
  vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return () => (existsSync(count) ? readFileSync(count, 'utf8').length / 2 : 0)
}

test.each([
  ...seen.map((command) => ({ command, isChange: true })),
  ...unseen.map((command) => ({ command, isChange: false })),
])('`$command`: a change is $isChange, for both', async ({ command, isChange }) => {
  const { folder, workspace, shell } = openFolder(begin)
  const gitRuns = countGit(folder)
  const look = openObserver()
  const before = await look(workspace)
  await expect
    .poll(async () => {
      const runs = gitRuns()
      expect(await look(workspace)).toEqual(before)
      return gitRuns() - runs
    })
    .toBe(0)
  expect(before).toEqual(takeFingerprint(workspace))
  shell(command)
  const after = await look(workspace)
  expect(after).toEqual(takeFingerprint(workspace))
  expect(after.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  expect(after.fingerprint !== before.fingerprint).toBe(isChange)
})

test('rules above the workspace that hide themselves hide nothing, for both', async () => {
  const rules = 'printf "h.ts\\n.gitignore\\n"'
  const { workspace, shell } = openFolder(`git -C .. init -q; ${rules} > ../.gitignore; echo > a`)
  const look = openObserver()
  const before = await look(workspace)
  expect(before).toEqual(takeFingerprint(workspace))
  shell('echo x > h.ts')
  const after = await look(workspace)
  expect(after).toEqual(takeFingerprint(workspace))
  expect(after.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  expect(after.fingerprint).not.toBe(before.fingerprint)
})

test('whatever is done one after another, the helper sees what Node sees', async () => {
  const { workspace, shell } = openFolder(begin)
  const look = openObserver()
  const commands = fc.constantFrom(...seen, ...unseen, 'git init -q', 'git checkout -q -f .')
  await fc.assert(
    fc.asyncProperty(fc.array(commands, { minLength: 1, maxLength: 3 }), async (some) => {
      for (const one of some) shell(`${one} || true`)
      expect(await look(workspace)).toEqual(takeFingerprint(workspace))
    }),
    { numRuns: Number(process.env.PAWL_FUZZ_RUNS ?? 20), endOnFailure: true },
  )
})

test.each([
  ['no repository', 'mkdir -p a/b dist; echo x > a/b/c; echo x > dist/x', '.'],
  ['a part of a repository', `${begin}; git mv a.ts src/a.ts`, 'src'],
  ['a folder that is ignored', `${begin}; mkdir ignored/b`, 'ignored'],
  ['an ignored folder with an empty `.git`', `${begin}; mkdir ignored/.git`, 'ignored'],
  ['another work tree', `${begin}; git worktree add -q ../tree`, '../tree'],
  ['nothing in it', 'true', '.'],
  ['folders too deep', `mkdir -p ${'d/'.repeat(70)}`, '.'],
  ['no such folder', 'true', 'gone'],
] as const)('%s: both say the same, before and after', async (_name, script, at) => {
  const { workspace, shell } = openFolder(script)
  const place = join(workspace, at)
  const look = openObserver()
  for (const command of ['true', 'true', `echo x > ${at}/added || true`]) {
    shell(command)
    expect(await look(place)).toEqual(takeFingerprint(place))
  }
})

test('a write right after a look is seen, also one of the same length', async () => {
  const { workspace } = openFolder(begin)
  const look = openObserver()
  for (let round = 0; round < 20; round += 1) {
    writeFileSync(join(workspace, 'a.ts'), `${round % 10}`)
    const before = await look(workspace)
    writeFileSync(join(workspace, 'a.ts'), `${(round + 1) % 10}`)
    expect((await look(workspace)).fingerprint).not.toBe(before.fingerprint)
  }
})

test('a list is kept for a few workspaces, and each sees its own changes', async () => {
  const folders = Array.from({ length: 6 }, () => openFolder(begin))
  const look = openObserver()
  for (const round of [1, 2, 3]) {
    for (const { workspace, shell } of folders) {
      shell(`echo ${round} > src/added${round}.ts`)
      expect(await look(workspace)).toEqual(takeFingerprint(workspace))
    }
  }
})

test.each(['no\0path', '/no/such/helper', '/bin/false', '/bin/echo', '/bin/cat', '/usr/bin/yes'])(
  '%s as the helper is not believed',
  async (path) => {
    const { workspace } = openFolder(begin)
    const look = openObserver(path)
    for (let round = 0; round < 2; round += 1) {
      expect(await look(workspace)).toEqual(takeFingerprint(workspace))
    }
  },
)

test('without descriptors nothing can be told, and later looks go on', () => {
  const { folder, workspace } = openFolder(begin)
  const program = join(folder, 'short-of-descriptors.mjs')
  const text = `
    import { closeSync, openSync } from 'node:fs'
    import { openWorkspaceObserver } from ${JSON.stringify(observerFile)}
    const observe = openWorkspaceObserver({ helper: async () => '/bin/true' })
    await observe(${JSON.stringify(workspace)})
    const open = []
    try { for (;;) open.push(openSync('/dev/null', 'r')) } catch {}
    const pending = observe(${JSON.stringify(workspace)})
    await new Promise((resolve) => setTimeout(resolve, 100))
    open.forEach((one) => closeSync(one))
    await pending
    console.log((await observe(${JSON.stringify(workspace)})).fingerprint)
    process.exit()`
  writeFileSync(program, text)
  const args = ['-c', 'ulimit -n 64; exec "$0" "$1"', process.execPath, program]
  const said = execFileSync('bash', args, { encoding: 'utf8' })
  expect(said.trim()).toBe(takeFingerprint(workspace).fingerprint)
})

test('if the helper is killed in the middle, Node looks, and the next helper goes on', async () => {
  const { workspace, shell } = openFolder(begin)
  const look = openObserver()
  const others = new Set(childrenOf(process.pid))
  await look(workspace)
  const helper = childrenOf(process.pid).find((pid) => !others.has(pid)) ?? 0
  expect(readFileSync(`/proc/${helper}/cmdline`, 'utf8')).toBe('pawl-job\0look\0')
  shell('echo two > a.ts')
  process.kill(helper, 'SIGSTOP')
  const pending = look(workspace)
  await sleep(50)
  process.kill(helper, 'SIGKILL')
  expect(await pending).toEqual(takeFingerprint(workspace))
  expect(await look(workspace)).toEqual(takeFingerprint(workspace))
})

/** What the helper itself answers to words, and how it ends. */
async function ask(words: readonly string[]): Promise<string> {
  const child = spawn(compileHelper(), ['look'], { stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.end(frameOf(words))
  const parts: string[] = []
  for await (const part of child.stdout.setEncoding('latin1')) parts.push(part)
  return parts.join('')
}

test('more files than the limit are not compared, and what is not understood ends it', async () => {
  const { workspace } = openFolder('mkdir a b; touch 1 2 3 a/4 b/5')
  expect(await ask([`folder=${workspace}`, 'filesMax=5'])).toMatch(/^\d+\n[0-9a-f]{64}\0/)
  expect(await ask([`folder=${workspace}`, 'filesMax=4'])).toBe('5\nnone\0')
  expect(await ask([`folder=${workspace}`, 'filesMax=5', 'other=x'])).toBe('')
  expect(await ask([`folder=${workspace}`])).toBe('')
})

test('many folders need no descriptors', async () => {
  const { folder, workspace, shell } = openFolder(
    'mkdir {1..3000}; for i in {1..3000}; do echo > $i/x; done; git init -q',
  )
  const few = join(folder, 'few')
  writeFileSync(few, `#!/bin/bash\nulimit -n 32\nexec -a pawl-job ${compileHelper()} look\n`)
  chmodSync(few, 0o755)
  const look = openObserver(few)
  for (const command of ['true', 'true', 'echo > 17/y']) {
    shell(command)
    expect(await look(workspace)).toEqual(takeFingerprint(workspace))
  }
})

test.each([
  ['gitdir: ../part/.git', 'gitdir: /nowhere/none'],
  ['gitdir: /nowhere/none', 'gitdir: ../part/.git'],
])('a file `.git` inside that says `%s`, and then `%s`', async (first, then) => {
  const { workspace, shell } = openFolder(
    `${begin}; mkdir -p sub/node_modules; echo x > sub/a.ts; echo h > sub/.gitignore; echo x > sub/h
    echo x > sub/node_modules/m; echo '${first}' > sub/.git; sleep 0.1`,
  )
  const look = openObserver()
  for (let times = 0; times < 3; times += 1) await look(workspace)
  shell(`echo '${then}' > sub/.git`)
  expect(await look(workspace)).toEqual(takeFingerprint(workspace))
  for (const file of ['h', 'node_modules/m']) {
    shell(`echo y > sub/${file}`)
    expect(await look(workspace)).toEqual(takeFingerprint(workspace))
  }
})
