/**
 * `npm run bench -- evidence`: what a fingerprint of a large workspace costs, cold (a new process
 * or thread), right after that, and warm (looks after those), with the native helper and without.
 * The last is a look after a file was added: the list is made anew. The baseline is
 * `git status` in the same repository, which looks at the same files.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileHelper } from '../../src/runner/scratch.contract.ts'
import { openWorkspaceObserver } from '../../src/runtime/workspace/observe-workspace.ts'

const files = 50_000
const filesPerFolder = 10
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
      const second: number[] = []
      const warm: number[] = []
      const renamed: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const observe = openWorkspaceObserver(settings)
        cold.push(await timed(() => observe(folder)))
        second.push(await timed(() => observe(folder)))
        for (let more = 0; more < rounds; more += 1) warm.push(await timed(() => observe(folder)))
        writeFileSync(join(folder, `${name}${round}.ts`), '')
        // What is written now is looked at twice: that is another cost.
        await new Promise((resolve) => setTimeout(resolve, 50))
        renamed.push(await timed(() => observe(folder)))
        git.push(
          await timed(async () =>
            execFileSync('git', ['status', '--short'], { cwd: folder, stdio: 'ignore' }),
          ),
        )
      }
      console.log(`  ${name}: cold ${median(cold).toFixed(0)} ms   (target 150)`)
      console.log(`  ${name}: right after ${median(second).toFixed(0)} ms`)
      console.log(`  ${name}: warm ${median(warm).toFixed(0)} ms   (target 20)`)
      console.log(`  ${name}: after a new file ${median(renamed).toFixed(0)} ms`)
    }
    console.log(`  baseline, git status: ${median(git).toFixed(0)} ms`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
