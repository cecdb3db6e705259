/** What changes the fingerprint of a workspace, and what does not. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { takeFingerprint } from './fingerprint.ts'
import { openWorkspaceObserver } from './observe-workspace.ts'

function openFolder(kind: 'git' | 'plain') {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-fingerprint-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const shell = (command: string): void => {
    execFileSync('bash', ['-c', command], { cwd: folder, stdio: 'ignore' })
  }
  write('src/a.ts', 'one')
  write('.gitignore', 'ignored/\n*.log\n')
  if (kind === 'git') {
    const who = '-c user.name=a -c user.email=a@b -c commit.gpgsign=false'
    shell(`git init -q && git add -A && git ${who} commit -qnm begin`)
  }
  return { folder, write, shell }
}

const changes: readonly string[] = [
  ...['echo two > src/a.ts', 'printf two > src/a.ts', 'echo x > src/new.ts', 'rm src/a.ts'],
  ...['mv src/a.ts src/b.ts', 'chmod +x src/a.ts', 'ln -s a.ts src/link', 'touch src/a.ts'],
  'touch -r src/a.ts ../t$$; printf two > src/a.ts; touch -r ../t$$ src/a.ts; rm ../t$$',
  'ln src/a.ts ../hard$$; printf two > ../hard$$; rm ../hard$$',
  'mkdir -p empty/er; echo x > empty/er/x',
  "touch $'src/\\xff.ts'",
]
const harmless: readonly string[] = [
  ...[
    'mkdir -p coverage; echo x > coverage/lcov.info',
    'mkdir node_modules; echo x > node_modules/x',
  ],
  ...[
    'mkdir -p src/__pycache__; echo x > src/__pycache__/a.pyc',
    'cat src/a.ts',
    'mkdir src/empty',
  ],
]

test('a folder that the repository around it ignores is compared file by file', () => {
  const { folder, write, shell } = openFolder('plain')
  shell('git init -q && echo "*" > .gitignore')
  const project = join(folder, 'project')
  write('project/src/a.ts', 'one')
  const before = takeFingerprint(project)
  write('project/src/a.ts', 'two')
  expect(before.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  expect(takeFingerprint(project).fingerprint).not.toBe(before.fingerprint)
})

test('rules above the workspace that hide themselves hide nothing in it', () => {
  const { folder, write, shell } = openFolder('plain')
  shell('git init -q && printf "h.ts\\n.gitignore\\n" > .gitignore')
  const project = join(folder, 'a/project')
  write('a/project/b.ts', 'one')
  const before = takeFingerprint(project)
  write('a/project/h.ts', 'one')
  expect(before.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  expect(takeFingerprint(project).fingerprint).not.toBe(before.fingerprint)
})

test('an empty `.git` hides no files of a folder that is ignored', () => {
  const { folder, write, shell } = openFolder('plain')
  shell('git init -q && echo "*" > .gitignore && mkdir -p project/.git')
  const project = join(folder, 'project')
  write('project/a.ts', 'one')
  const before = takeFingerprint(project)
  write('project/a.ts', 'two')
  expect(takeFingerprint(project).fingerprint).not.toBe(before.fingerprint)
})

test('git: a file in a folder that is only called `node_modules` is a change', () => {
  const { folder, shell } = openFolder('git')
  const before = takeFingerprint(folder)
  shell('mkdir src/node_modules; echo x > src/node_modules/x.js')
  expect(takeFingerprint(folder).fingerprint).not.toBe(before.fingerprint)
})

for (const kind of ['git', 'plain'] as const) {
  test.each(changes)(`${kind}: \`%s\` is a change`, (command) => {
    const { folder, shell } = openFolder(kind)
    const before = takeFingerprint(folder)
    shell(command)
    const after = takeFingerprint(folder)
    expect(before.fingerprint).toMatch(/^[0-9a-f]{64}$/)
    expect(after.fingerprint).not.toBe(before.fingerprint)
  })

  test.each(harmless)(`${kind}: \`%s\` is none`, (command) => {
    const { folder, shell } = openFolder(kind)
    const before = takeFingerprint(folder)
    shell(command)
    expect(takeFingerprint(folder).fingerprint).toBe(before.fingerprint)
  })
}

test('what git ignores does not count, and committing changes nothing', () => {
  const { folder, write, shell } = openFolder('git')
  write('src/new.ts', 'new')
  const before = takeFingerprint(folder)
  write('ignored/x', 'x')
  write('a.log', 'x')
  shell('git add -A && git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qnm x')
  expect(takeFingerprint(folder).fingerprint).toBe(before.fingerprint)
})

test('a tracked file counts, even where it is ignored, and bits of the index hide nothing', () => {
  const { folder, write, shell } = openFolder('git')
  write('ignored/kept.ts', 'x')
  shell('git add -f ignored/kept.ts; git update-index --assume-unchanged src/a.ts')
  const before = takeFingerprint(folder)
  write('ignored/kept.ts', 'y')
  const between = takeFingerprint(folder)
  write('src/a.ts', 'two')
  const all = [before, between, takeFingerprint(folder)].map(({ fingerprint }) => fingerprint)
  expect(new Set(all).size).toBe(3)
})

test.each(['git', 'plain'] as const)('%s: a name that is not UTF-8 hides nothing', (kind) => {
  const { folder, shell } = openFolder(kind)
  shell("echo one > $'src/\\xff.ts'; mkdir $'\\xfe'; echo one > $'\\xfe/a.ts'")
  const before = takeFingerprint(folder)
  shell("echo two > $'src/\\xff.ts'")
  const between = takeFingerprint(folder)
  shell("echo two > $'\\xfe/a.ts'")
  const all = [before, between, takeFingerprint(folder)].map(({ fingerprint }) => fingerprint)
  expect(new Set(all).size).toBe(3)
})

test('a repository inside the workspace is looked into', () => {
  const { folder, write, shell } = openFolder('git')
  shell('git init -q inner')
  write('inner/a.ts', 'one')
  const before = takeFingerprint(folder)
  write('inner/a.ts', 'two')
  expect(takeFingerprint(folder).fingerprint).not.toBe(before.fingerprint)
})

test('a write right after a look is seen, also one of the same length', () => {
  const { folder, write } = openFolder('git')
  for (let round = 0; round < 20; round += 1) {
    write('src/a.ts', `${round % 10}`)
    const before = takeFingerprint(folder)
    write('src/a.ts', `${(round + 1) % 10}`)
    expect(takeFingerprint(folder).fingerprint).not.toBe(before.fingerprint)
  }
})

test('what cannot be read has no fingerprint', async () => {
  const { folder } = openFolder('plain')
  expect(takeFingerprint(join(folder, 'missing')).fingerprint).toBeNull()
  symlinkSync('/nowhere', join(folder, 'gone'))
  expect(takeFingerprint(join(folder, 'gone')).fingerprint).toBeNull()
})

test('the thread gives the same answer, and names what changed last', async () => {
  const { folder, write } = openFolder('git')
  write('src/b.ts', 'later')
  const observe = openWorkspaceObserver()
  const seen = await observe(folder)
  expect(seen).toMatchObject({ folder, fingerprint: takeFingerprint(folder).fingerprint })
  expect(seen.changes?.[0]?.path).toBe('src/b.ts')
})

test('equal looks that wait are one look, and leave room for other workspaces', async () => {
  const [busy, other] = [openFolder('git'), openFolder('plain')]
  const observe = openWorkspaceObserver()
  await observe(other.folder)
  const equal = Array.from({ length: 200 }, () => observe(busy.folder))
  const alone = await observe(other.folder)
  expect(alone.fingerprint).toMatch(/^[0-9a-f]{64}$/)
  const seen = await Promise.all(equal)
  expect(new Set(seen.map(({ fingerprint }) => fingerprint)).size).toBe(1)
  expect(seen[0]?.fingerprint).toMatch(/^[0-9a-f]{64}$/)
})

test('a look that begins after a write sees it, whatever was being looked at', async () => {
  const { folder, write } = openFolder('git')
  const observe = openWorkspaceObserver()
  for (let round = 0; round < 5; round += 1) {
    const before = observe(folder)
    await before
    write('src/a.ts', `${round}`)
    const after = observe(folder)
    expect((await after).fingerprint).not.toBe((await before).fingerprint)
  }
})
