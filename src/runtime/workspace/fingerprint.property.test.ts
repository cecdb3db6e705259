/** The fingerprint against the slow, exact answer: every file with its contents. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { takeFingerprint } from './fingerprint.ts'

/** What an agent, its tests or a person do to one of a few files. `to`: another of them. */
type Change = (at: string, to: string, elsewhere: string) => void

const changes: Readonly<Record<string, Change>> = {
  write: (at, to) => writeFileSync(at, to.slice(-1)),
  'write, and set the time back': (at, to) => {
    const { atime, mtime } = statSync(at)
    writeFileSync(at, to.slice(-1))
    utimesSync(at, atime, mtime)
  },
  'write through a link elsewhere': (at, to, elsewhere) => {
    linkSync(at, elsewhere)
    writeFileSync(elsewhere, to.slice(-1))
    rmSync(elsewhere)
  },
  'replace by a file of the same age': (at, to, elsewhere) => {
    const { atime, mtime } = statSync(at)
    writeFileSync(elsewhere, to.slice(-1))
    utimesSync(elsewhere, atime, mtime)
    renameSync(elsewhere, at)
  },
  remove: (at) => rmSync(at),
  rename: (at, to) => renameSync(at, to),
  'make executable': (at) => chmodSync(at, 0o755),
  'nothing but a read': (at) => void readFileSync(at),
}

const names = ['a.ts', 'b.ts', 'd/a.ts', 'd/e/c.ts', 'd/e/\xe9.ts'] as const
const steps = fc.array(
  fc.record({
    change: fc.constantFrom(...Object.keys(changes)),
    at: fc.constantFrom(...names),
    to: fc.constantFrom(...names),
  }),
  { maxLength: 4 },
)

function exactly(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && !`${one.parentPath}/`.includes('/.git/'))
    .map((one) => join(one.parentPath, one.name))
  const said = files.map((at) => [at, statSync(at).mode, readFileSync(at, 'latin1')])
  return JSON.stringify(said.sort())
}

function applyChange(folder: string, step: { change: string; at: string; to: string }): void {
  try {
    changes[step.change]?.(join(folder, step.at), join(folder, step.to), `${folder}-elsewhere`)
  } catch {
    // The file is gone by now: then this step changes nothing, or half of something.
  } finally {
    rmSync(`${folder}-elsewhere`, { force: true })
  }
}

test.each(['git', 'plain'] as const)('%s: no change is missed, whatever is done', (kind) => {
  fc.assert(
    fc.property(steps, fc.boolean(), (done, isAdded) => {
      const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-fingerprint-')))
      try {
        mkdirSync(join(folder, 'd/e'), { recursive: true })
        for (const name of names) writeFileSync(join(folder, name), 'x')
        if (kind === 'git') execFileSync('git', ['init', '-q'], { cwd: folder })
        if (kind === 'git' && isAdded) execFileSync('git', ['add', '-A'], { cwd: folder })
        const before = { exact: exactly(folder), ...takeFingerprint(folder) }
        for (const step of done) applyChange(folder, step)
        const after = { exact: exactly(folder), ...takeFingerprint(folder) }
        expect(before.fingerprint).not.toBeNull()
        if (after.exact !== before.exact) expect(after.fingerprint).not.toBe(before.fingerprint)
        if (done.every((one) => one.change === 'nothing but a read')) {
          expect(after.fingerprint).toBe(before.fingerprint)
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }),
    { numRuns: Number(process.env.PAWL_FUZZ_RUNS ?? 20) },
  )
})
