/**
 * `npm test`: installs if needed, builds, checks types and style, runs every test. All stages run,
 * whatever fails. The last line is always `N passed, N failed`, where a stage that fails counts as
 * one.
 * Runs on Node 18, because it may run before ours is installed.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { argv, env, exit } from 'node:process'
import { ensureBuilt } from './build.mjs'
import { nodePath, root, tellFault } from './checkout.mjs'
import { ensureChromium, ensureStrace } from './ensure-program.mjs'
import { ensureInstalled } from './install.mjs'

const modules = join(root, 'node_modules')
const tsc = join(modules, 'typescript', 'bin', 'tsc')
const stages = [
  ['types', [tsc, '-p', 'tsconfig.json']],
  ['types of core', [tsc, '-p', join('src', 'core', 'tsconfig.json')]],
  ['types of the page', [tsc, '-p', join('dashboard', 'tsconfig.json')]],
  [
    'style',
    [join(modules, '@biomejs', 'biome', 'bin', 'biome'), 'check', '--error-on-warnings', '.'],
  ],
]

const failed = []
let counts = { passed: 0, failed: 0 }
if (await holds('install', ensureInstalled)) {
  await holds('build', ensureBuilt)
  // Compiled once here, they need not be compiled for each data directory of a test.
  await holds('native programs', () => run([join(root, 'scripts', 'prebuild.mjs'), '--here']))
  ensureStrace()
  ensureChromium()
  for (const [name, args] of stages) await holds(name, () => run(args))
  counts = runTests()
}
for (const name of failed) console.log(`failed: ${name}`)
const failedCount = counts.failed + failed.length
console.log(`${counts.passed} passed, ${failedCount} failed`)
exit(failedCount === 0 ? 0 : 1)

/** Whether a stage came through; if not, it is remembered. */
async function holds(name, stage) {
  try {
    const status = await stage()
    if (status === undefined || status === 0) return true
  } catch (error) {
    tellFault(error)
  }
  failed.push(name)
  return false
}

function run(args, more = {}) {
  const result = spawnSync(nodePath(), args, {
    cwd: root,
    env: { ...env, ...more },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return result.status ?? 1
}

function runTests() {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-test-'))
  const file = join(folder, 'counts.json')
  try {
    const status = run([join(modules, 'vitest', 'vitest.mjs'), 'run', ...argv.slice(2)], {
      PAWL_COUNTS_FILE: file,
    })
    const found = JSON.parse(readFileSync(file, 'utf8'))
    // A failure that belongs to no test (no tests found, an error out of nowhere) is one too.
    if (status !== 0 && found.failed === 0) failed.push('tests')
    if (found.passed + found.failed === 0) failed.push('tests: none were run')
    return found
  } catch (error) {
    console.error(`the tests gave no count: ${error.message}`)
    failed.push('tests')
    return { passed: 0, failed: 0 }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
