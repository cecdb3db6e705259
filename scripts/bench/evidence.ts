/**
 * `npm run bench -- evidence`: what a fingerprint of a large workspace costs, cold (a new thread)
 * and warm (the same thread again), with the native helper and without. The baseline is `git
 * status` in the same repository, which looks at the same files.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileHelper } from '../../src/runner/scratch.contract.ts'
import { openWorkspaceObserver } from '../../src/runtime/workspace/observe-workspace.ts'

const files = 50_000
const filesPerFolder = 20
const rounds = 5

function makeRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-bench-evidence-'))
  for (let at = 0; at < files; at += 1) {
    const group = Math.floor(at / filesPerFolder)
    const path = join(folder, `src/${group % 50}/${group}`)
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, `${at}.ts`), `export const n = ${at}\n`)
  }
  execFileSync('git', ['init', '-q'], { cwd: folder })
  execFileSync('git', ['add', '-A'], { cwd: folder })
  return folder
}

const median = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

/** Prints the medians. */
export async function benchEvidence(): Promise<void> {
  const folder = makeRepository()
  try {
    const helper = compileHelper()
    const git: number[] = []
    console.log(`fingerprint of ${files} files, median of ${rounds}`)
    for (const [name, settings] of [
      ['with the helper', { helper: async () => helper }],
      ['without', {}],
    ] as const) {
      const cold: number[] = []
      const warm: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const observe = openWorkspaceObserver(settings)
        cold.push(await timed(() => observe(folder)))
        warm.push(await timed(() => observe(folder)))
        git.push(
          await timed(async () =>
            execFileSync('git', ['status', '--short'], { cwd: folder, stdio: 'ignore' }),
          ),
        )
      }
      console.log(`  ${name}: cold ${median(cold).toFixed(0)} ms   (target 150)`)
      console.log(`  ${name}: warm ${median(warm).toFixed(0)} ms   (target 20)`)
    }
    console.log(`  baseline, git status: ${median(git).toFixed(0)} ms`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
