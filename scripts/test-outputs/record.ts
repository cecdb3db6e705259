/**
 * Runs the real test runners on small projects and records what they print, with the counts that
 * the projects have: `node scripts/test-outputs/record.ts FOLDER [RUNNER…]`. FOLDER has the
 * runners from npm in its `node_modules`; the others are on the PATH. What is not installed is
 * reported and keeps its earlier recordings.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const [folder = '.', ...only] = process.argv.slice(2)
process.env.TEST_RUNNERS = resolve(folder)
const { countsOf, groupCountsOf, projects, scenarios } = await import('./projects.ts')
const { jvmProjects } = await import('./jvm-projects.ts')

const file = join(import.meta.dirname, '../../test/fixtures/test-outputs.jsonl')
type Named = { runner: string; scenario: string; mode: string }
type Recording = Named & { output: string; counts: object | null }
const kept = readFileSync(file, { encoding: 'utf8', flag: 'a+' }).split('\n').filter(Boolean)
const recordings = new Map(
  kept.map((line) => JSON.parse(line) as Recording).map((one) => [keyOf(one), one]),
)

for (const [runner, project] of Object.entries({ ...projects, ...jvmProjects })) {
  if (only.length > 0 && !only.includes(runner)) continue
  for (const scenario of Object.keys(scenarios) as (keyof typeof scenarios)[]) {
    const root = mkdtempSync(join(folder, 'project-'))
    const groups = scenarios[scenario]
    const files = project.extra?.(groups.length) ?? {}
    for (const [group, tests] of groups.entries()) {
      const { path, text } = project.file(tests, group)
      files[path] = text
    }
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    if (project.prepare !== undefined) execFileSync('sh', ['-c', project.prepare], { cwd: root })
    for (const [mode, command] of Object.entries(project.commands)) {
      const env = { ...process.env, CI: 'true' }
      const done = spawnSync('sh', ['-c', command], { cwd: root, env, encoding: 'utf8' })
      if (done.status === 127) console.log(`${runner}: not installed`)
      if (done.status === 127) break
      const output = done.stdout.replaceAll(resolve(root), '/project')
      const isByGroup = project.groupModes?.includes(mode) === true
      const isSilent = project.isSilentWhenEmpty === true && scenario === 'empty'
      const known = isByGroup ? groupCountsOf(scenario) : countsOf(scenario)
      const counts = isSilent ? null : known
      const one = { runner, scenario, mode, exit: done.status, counts, output }
      recordings.set(keyOf(one), one)
      console.log(`${runner} ${scenario} ${mode}: exit ${done.status}, ${output.length} characters`)
    }
    rmSync(root, { recursive: true })
  }
}
writeFileSync(file, [...recordings.values()].map((one) => `${JSON.stringify(one)}\n`).join(''))

function keyOf(one: Named): string {
  return `${one.runner} ${one.scenario} ${one.mode}`
}
