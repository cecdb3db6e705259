/**
 * In a large workspace, workers of the helper hold descriptors of the files (pawl-job-hold.c). A
 * descriptor follows a file and not its name, so each way to give a name to another file is here.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { frameOf } from '../runtime/frame-words.ts'
import { takeFingerprint } from '../runtime/workspace/fingerprint.ts'
import { lookWords } from '../runtime/workspace/look-by-helper.ts'
import { begin, openFolder, openObserver, seen, unseen } from './look.contract.ts'
import { childrenOf, compileHelper } from './scratch.contract.ts'

const large = 'mkdir bulk; seq -f bulk/%g.ts 2500 | xargs touch; touch -d 2020-01-01 stamp'
const largeInGit = `${large}; git init -q; git add -A; ln bulk/7.ts ../hard`
/** Git lists nothing of it, and links into it are not followed. */
const ignored = 'mkdir .venv; echo .venv/ > .gitignore'
/** Another file gets the name, with the same size and time. */
const replace = (file: string): string =>
  `cp -p ${file} ../new; printf x > ../new; touch -r ${file} ../new; mv ../new ${file}`

const asRoot = ['--user', '--map-root-user', '--mount']
const canMount = spawnSync('unshare', [...asRoot, 'true']).status === 0

const helperOf = (others: ReadonlySet<number>): number =>
  childrenOf(process.pid).find((pid) => !others.has(pid)) ?? 0

/** What the workers of a helper hold. */
function heldBy(helper: number): string[] {
  return childrenOf(helper).flatMap((pid) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    } catch {
      return []
    }
  })
}

const filesHeld = (helper: number): number =>
  heldBy(helper).filter((path) => path.endsWith('.ts')).length

/** Looks until there are workers, and again: they answer when they hold all that they can. */
async function openHeld(
  script: string,
  { least = 2500, program = compileHelper(), at = 'w' } = {},
) {
  const opened = openFolder(script)
  const place = join(opened.folder, at)
  const look = openObserver(program)
  const others = new Set(childrenOf(process.pid))
  const before = await look(place)
  const helper = helperOf(others)
  const lookAgain = async () => expect(await look(place)).toEqual(before)
  await expect.poll(() => lookAgain().then(() => childrenOf(helper).length)).toBeGreaterThan(0)
  await lookAgain()
  expect(filesHeld(helper)).toBeGreaterThanOrEqual(least)
  return { ...opened, place, look, helper, before }
}

/** Writes through a map of a file into memory. */
const mapProgram = `cat > ../map.c <<'end'
  #include <fcntl.h>
  #include <sys/mman.h>
  int main(int count, char **words) {
    int fd = open(words[count - 1], O_RDWR);
    char *bytes = mmap(0, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *bytes = 'x';
    return munmap(bytes, 1);
  }
end
cc -o ../map ../map.c`

test.each([
  [largeInGit, 'printf x > bulk/7.ts; touch -r stamp bulk/7.ts'],
  [largeInGit, replace('bulk/7.ts')],
  [largeInGit, 'printf x > ../hard; touch -r stamp ../hard'],
  [largeInGit, 'rm bulk/7.ts'],
  [largeInGit, 'ln -sf 8.ts bulk/7.ts'],
  [largeInGit, 'cp -a bulk ../b; mv bulk ../old; mv ../b bulk; printf x > bulk/7.ts'],
  [largeInGit, 'cp -a . ../b; mv ../w ../old; mv ../b ../w; printf x > ../w/bulk/7.ts'],
  [
    `${largeInGit}; ${ignored}; mv bulk .venv; ln -s .venv/bulk bulk`,
    replace('.venv/bulk/7.ts'),
    0,
  ],
  [
    `${largeInGit}; ${ignored}; mkdir bulk/a; mv bulk/9*.ts bulk/a; git add -A
     mv bulk .venv; ln -s .venv/bulk bulk`,
    replace('.venv/bulk/a/9.ts'),
    0,
  ],
  [
    `${largeInGit}; mkdir ../out; printf y > ../out/a; ln -s ../out/a link`,
    'mv ../out ../old; mkdir ../out; printf x > ../out/a',
  ],
  [`${largeInGit}; echo y > page; ${mapProgram}`, '../map page'],
] as [string, string, number?][])(
  '%s; then `%s` is seen',
  async (script, command, least = 2500) => {
    const { workspace, shell, look, before } = await openHeld(script, { least })
    for (const more of [command, 'printf more >> bulk/7.ts']) {
      shell(more)
      const after = await look(workspace)
      expect(after).toEqual(takeFingerprint(workspace))
      expect(after.fingerprint).not.toBe(before.fingerprint)
    }
  },
)

test('a workspace whose path leads to another folder is the other folder', async () => {
  const script = `${largeInGit}; cp -a . ../other; ln -s w ../link`
  const { folder, place, shell, look, before } = await openHeld(script, { at: 'link' })
  shell('ln -sfn other ../link; printf x > bulk/8.ts; printf x > ../other/bulk/7.ts')
  const after = await look(place)
  expect(after).toEqual(takeFingerprint(join(folder, 'other')))
  expect(after.fingerprint).not.toBe(before.fingerprint)
})

test('whatever is done one after another, workers see what Node sees', async () => {
  const { workspace, shell, look } = await openHeld(`${large}; ${begin}`)
  const commands = fc.constantFrom(...seen, ...unseen, 'git init -q', replace('bulk/7.ts'))
  await fc.assert(
    fc.asyncProperty(fc.array(commands, { minLength: 1, maxLength: 3 }), async (some) => {
      for (const one of some) {
        shell(`${one} || true`)
        for (let times = 0; times < 3; times += 1) {
          expect(await look(workspace)).toEqual(takeFingerprint(workspace))
        }
      }
    }),
    { numRuns: Number(process.env.PAWL_FUZZ_RUNS ?? 10), endOnFailure: true },
  )
})

test.skipIf(!canMount)('a mount over a file is seen, and what is below it when it is gone', () => {
  const { folder, workspace } = openFolder(largeInGit)
  const program = join(folder, 'mounts.mjs')
  const observer = join(import.meta.dirname, '../runtime/workspace/observe-workspace.ts')
  const text = `
    import { execFileSync } from 'node:child_process'
    import { setTimeout as sleep } from 'node:timers/promises'
    import { openWorkspaceObserver } from ${JSON.stringify(observer)}
    const helper = async () => ${JSON.stringify(compileHelper())}
    const observe = openWorkspaceObserver({ helper })
    const seen = []
    const look = async () => seen.push((await observe(${JSON.stringify(workspace)})).fingerprint)
    for (const command of ['true', 'mount --bind bulk/8.ts bulk/7.ts', 'umount bulk/7.ts']) {
      execFileSync('bash', ['-c', command], { cwd: ${JSON.stringify(workspace)} })
      for (let times = 0; times < 3; times += 1) await look(), await sleep(200)
    }
    console.log(JSON.stringify(seen))
    process.exit()`
  writeFileSync(program, text)
  const args = [...asRoot, process.execPath, program]
  const said = JSON.parse(execFileSync('unshare', args, { encoding: 'utf8' }))
  const [first, , , mounted] = said
  expect(said).toEqual([...[first, first, first], mounted, mounted, mounted, first, first, first])
  expect(mounted).not.toBe(first)
})

test('what cannot be held is looked at by its path', async () => {
  const { folder } = openFolder('true')
  const few = join(folder, 'few')
  writeFileSync(few, `#!/bin/bash\nulimit -n 100\nexec -a pawl-job ${compileHelper()} look\n`)
  chmodSync(few, 0o755)
  const { workspace, shell, look, helper } = await openHeld(largeInGit, {
    least: 100,
    program: few,
  })
  expect(filesHeld(helper)).toBeLessThan(900)
  const files = ['1', '499', '7', '1500', '2500', '999']
  const commands = files.flatMap((file) => [
    `printf x > bulk/${file}.ts`,
    `chmod +x bulk/${file}.ts`,
  ])
  for (const command of [...commands, replace('bulk/499.ts'), replace('bulk/7.ts')]) {
    shell(command)
    expect(await look(workspace)).toEqual(takeFingerprint(workspace))
  }
})

test('workers that are killed make no answer old, and others are started', async () => {
  const { workspace, shell, look, helper } = await openHeld(largeInGit)
  for (const worker of childrenOf(helper)) process.kill(worker, 'SIGKILL')
  shell('printf x > bulk/7.ts')
  const after = await look(workspace)
  expect(after).toEqual(takeFingerprint(workspace))
  await expect
    .poll(async () => [await look(workspace), filesHeld(helper) >= 2500])
    .toEqual([after, true])
  process.kill(helper, 'SIGKILL')
  await expect.poll(() => processesHolding(workspace)).toEqual([])
})

test('a file that was removed is let go by the next look', async () => {
  const { workspace, shell, look, helper } = await openHeld(largeInGit)
  shell('rm bulk/7.ts')
  await look(workspace)
  const gone = (): string[] => heldBy(helper).filter((path) => path.includes('(deleted)'))
  await expect.poll(gone).toEqual([])
})

test('the last two workspaces are held, and none if there is no look for a while', async () => {
  const workspaces = [1, 2, 3].map(() => openFolder(largeInGit).workspace)
  const child = spawn(compileHelper(), ['look'], { stdio: ['pipe', 'pipe', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const heldWorkspaces = (): boolean[] => {
    const held = heldBy(child.pid ?? 0)
    return workspaces.map((folder) => held.some((path) => path.startsWith(`${folder}/bulk`)))
  }
  const ask = async (folder: string, holdMs: number): Promise<void> => {
    child.stdin.write(frameOf(lookWords(folder, holdMs)))
    await new Promise((resolve) => child.stdout.once('data', resolve))
  }
  for (const [at, folder] of workspaces.entries()) {
    await expect
      .poll(async () => {
        await ask(folder, 60_000)
        return heldWorkspaces()[at]
      })
      .toBe(true)
  }
  await expect.poll(heldWorkspaces).toEqual([false, true, true])
  await ask(workspaces[2] ?? '', 200)
  await expect.poll(() => childrenOf(child.pid ?? 0)).toEqual([])
})

/** Processes with the workspace open. */
function processesHolding(workspace: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === workspace
    } catch {
      return false
    }
  })
}
