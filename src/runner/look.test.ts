/** The native helper and Node must see the same, or evidence would depend on who looked. */
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { frameOf } from '../runtime/frame-words.ts'
import { takeFingerprint } from '../runtime/workspace/fingerprint.ts'
import { openWorkspaceObserver } from '../runtime/workspace/observe-workspace.ts'
import { childrenOf, compileHelper } from './scratch.contract.ts'

const observerFile = join(import.meta.dirname, '../runtime/workspace/observe-workspace.ts')

function openFolder(script: string) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-look-')))
  // The helper may still be reading there: it keeps lists after it has answered.
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  const workspace = join(folder, 'w')
  const shell = (command: string): void => {
    execFileSync('bash', ['-c', command], { cwd: workspace, stdio: 'ignore' })
  }
  execFileSync('mkdir', [workspace])
  shell(script)
  return { folder, workspace, shell }
}

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

function openObserver(helper = compileHelper()) {
  const observe = openWorkspaceObserver({ helper: async () => helper })
  return async (workspace: string) => {
    const { fingerprint, changes } = await observe(workspace)
    return { fingerprint, changes }
  }
}

const who = '-c user.name=a -c user.email=a@b -c commit.gpgsign=false'
const begin = `
  mkdir -p src/deep/er test ignored empty/inner excluded quiet/sub
  for i in {1..30}; do echo $i > src/$i.ts; echo $i > src/deep/er/$i.ts; done
  printf 'ignored/\\n*.log\\n' > .gitignore; echo x > ignored/x; echo one > a.ts
  printf '*\\n' > quiet/.gitignore; echo x > quiet/sub/x
  echo one > $'src/\\xff.ts'; ln -s a.ts link; ln -s /nowhere dead; mkfifo fifo
  mkdir -p ../out/d ../other; echo x > ../out/f; echo x > ../other/f; ln -s out ../middle
  ln -s ../out/f to-file; ln -s ../out to-folder; ln -s ../middle/f to-chain
  ln -s ignored/x to-ignored; ln -s src to-inside; ln -s . to-itself
  git init -q; git add -A; git ${who} commit -qnm begin; echo 'excluded/' >> .git/info/exclude
  echo one > new.ts; git init -q nested; mkdir -p nested/node_modules/m; echo x > nested/a.ts
  git init -q part; echo x > part/a.ts; (cd part; git add -A; git ${who} commit -qnm x)
  git add part; git ${who} commit -qnm part`

const seen: readonly string[] = [
  ...['echo two > a.ts', 'echo x > src/b.ts', 'mkdir src/n; echo x > src/n/x', 'rm -r src/deep'],
  ...['mv src/deep src/deeper', 'echo new.ts >> .gitignore', 'echo > .gitignore', 'rm .gitignore'],
  ...['echo x > empty/inner/x', 'mkdir empty/inner/b; echo x > empty/inner/b/x', 'chmod +x a.ts'],
  ...['echo x > excluded/x', 'echo > quiet/.gitignore', 'echo "!x" >> .gitignore; echo x > x'],
  ...['echo two > nested/a.ts', 'echo x > nested/b.ts', 'rm -rf nested/.git; echo x > nested/c'],
  ...['echo two > part/a.ts', 'mkdir part/b; echo x > part/b/b', 'rm -rf part; echo x > part'],
  ...["echo two > $'src/\\xff.ts'", "echo two > $'src/\\xfe.ts'", 'git add -f ignored/x'],
  ...['git init -q other; echo x > other/x', 'ln a.ts ../hard; printf two > ../hard; rm ../hard'],
  ...['cp -p a.ts ../b; printf two > ../b; touch -r a.ts ../b; mv ../b a.ts', 'ln -sf b.ts link'],
  ...['mv src ../src; ln -s ../src src', 'git rm -q --cached a.ts; echo a.ts >> .gitignore'],
  ...['echo y > ../out/f', 'echo y > ../out/d/new', 'rm ../out/f', 'echo y > ignored/x'],
  ...['ln -sfn other ../middle', 'ln -sfn ../other/f to-file', 'ln -sfn a.ts dead'],
  ...['mkdir -p q/r; echo "*" > q/r/.gitignore; echo x > q/r/x', 'echo x > quiet/sub/y'],
  ...['printf "h\\n.gitignore\\n" > src/.gitignore; echo x > src/h', 'echo two > quiet/sub/x'],
  ...['rm -rf .git', 'mv src/deep/er src/er; mkdir src/deep/er; mv src/er/* src/deep/er'],
]
const unseen: readonly string[] = [
  ...[
    'echo x > ignored/y',
    'echo x > a.log',
    'mkdir src/empty',
    'echo x > nested/node_modules/m/x',
  ],
  ...[
    'mkdir coverage; echo x > coverage/x',
    `git add a.ts; git ${who} commit -qnm x --allow-empty`,
  ],
  ...['touch ../elsewhere', 'mkdir -p src/__pycache__; echo x > src/__pycache__/x', 'cat a.ts'],
  ...['echo y > ../other/x', 'git config core.pager cat', 'git init -q ignored/r'],
]

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
