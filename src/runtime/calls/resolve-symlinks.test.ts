import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { compileDefinition } from '../../core/dialects/compile-definition.ts'
import { sourceOf } from '../../core/source/source.ts'
import { readCall } from '../../core/tools/read-call.ts'
import { realPath, resolveSymlinks } from './resolve-symlinks.ts'

const reading = {
  id: 'reading',
  initial: 'work',
  states: { work: { allowed_tools: ['Read'], on: { DONE: 'done' } }, done: { type: 'final' } },
}

test('a link in the place of a folder is seen in the next turn, and then its end', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-links-'))
  const [inside, moved] = [join(folder, 'src'), join(folder, 'moved')]
  try {
    mkdirSync(inside)
    const file = join(inside, 'a.ts')
    expect(realPath(file)).toBe(file)
    renameSync(inside, moved)
    symlinkSync('/etc', inside)
    await turn()
    expect(realPath(file)).toBe('/etc/a.ts')
    rmSync(inside)
    await turn()
    expect(realPath(file)).toBe(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('what was seen is forgotten before anything more is heard from outside', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-links-'))
  const link = join(folder, 'src')
  const file = join(link, 'passwd')
  try {
    const heard = await new Promise<string | null>((resolve) => {
      setImmediate(() => {
        expect(realPath(file)).toBe(file)
        symlinkSync('/etc', link)
        setTimeout(() => resolve(realPath(file)), 1)
        // WHY: it is due when this is over, and so comes before the next `setImmediate`.
        for (const until = performance.now() + 3; performance.now() < until; );
      })
    })
    expect(heard).toBe('/etc/passwd')
    const together = await Promise.all([0, 1].map(async () => realPath(file)))
    expect(together).toEqual(['/etc/passwd', '/etc/passwd'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('however many paths are looked at in a turn, each is told as it is', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-links-'))
  try {
    symlinkSync('/etc', join(folder, 'link'))
    for (let count = 0; count < 12_000; count += 1) {
      expect(realPath(join(folder, 'link', `${count}`))).toBe(`/etc/${count}`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a command that stands in for a tool is judged by the file behind a link', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-links-'))
  const machine = compileDefinition(sourceOf(reading)).machines[0]
  if (machine === undefined) throw new Error('the definition of the test has to compile')
  try {
    symlinkSync('/etc/passwd', join(folder, 'notes.txt'))
    const input = { command: 'cat notes.txt' }
    const where = { machine, workspace: folder, host: 'codex' } as const
    const call = resolveSymlinks(readCall({ tool: 'Bash', input }, where))
    const paths = call.looks?.commands.flatMap((look) => look.reads)
    expect(paths).toContainEqual({ written: '/etc/passwd', inside: null })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
