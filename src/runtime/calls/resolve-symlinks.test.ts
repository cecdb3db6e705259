import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { realPath } from './resolve-symlinks.ts'

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
