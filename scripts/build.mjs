/**
 * Compiles `src` and the page in `dashboard` into `dist`. The new tree is built in a temporary
 * folder and then replaces the old one, so that a Pawl that starts meanwhile never sees half a
 * build.
 */
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { argv, exit, pid } from 'node:process'
import { fileURLToPath } from 'node:url'
import { nodePath, root, SetupError, tell, tellFault, withLock } from './checkout.mjs'
import { ensureInstalled } from './install.mjs'

const dist = join(root, 'dist')
const stampPath = join(dist, '.stamp')
const executableMode = 0o755

/** Compiles when a source is newer than the last build. */
export async function ensureBuilt() {
  if (isBuilt()) return
  await withLock(() => {
    if (isBuilt()) return
    tell('building')
    build()
  })
}

function isBuilt() {
  if (!existsSync(stampPath)) return false
  const builtMs = statSync(stampPath).mtimeMs
  const configs = readdirSync(root).filter((name) => /^tsconfig.*\.json$/.test(name))
  return !['src', 'dashboard', 'examples/workflow', ...configs].some((name) =>
    isNewer(join(root, name), builtMs),
  )
}

// Folders count too: a file that was removed changes its folder.
function isNewer(path, sinceMs) {
  if (path.endsWith('.test.ts')) return false
  const stats = statSync(path)
  if (stats.mtimeMs > sinceMs) return true
  return stats.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), sinceMs))
}

// INVARIANT: the caller holds the lock of this checkout.
function build() {
  const begun = new Date()
  removeLeftovers()
  // A sibling of `dist`, so that source maps keep their relative paths.
  const fresh = join(root, `.dist-new-${pid}`)
  const old = join(root, `.dist-old-${pid}`)
  mkdirSync(fresh)
  // Hides the half-made tree from git; gone before the tree is put in place.
  writeFileSync(join(fresh, '.gitignore'), '*\n')
  try {
    compile(fresh)
    copySources(fresh)
    bundleLibraries(fresh)
    bundlePage(join(fresh, 'dashboard'))
    rmSync(join(fresh, '.gitignore'))
    const entry = join(fresh, 'main', 'pawl.js')
    if (existsSync(entry)) chmodSync(entry, executableMode)
    const stamp = join(fresh, '.stamp')
    writeFileSync(stamp, '')
    // WHY: what is edited while the compiler runs must count as newer than this build.
    utimesSync(stamp, begun, begun)
    if (existsSync(dist)) renameSync(dist, old)
    renameSync(fresh, dist)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(old, { recursive: true, force: true })
  }
}

function compile(outDir) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const config = join(root, 'tsconfig.build.json')
  runNode('the compiler', [tsc, '-p', config, '--outDir', outDir, '--noEmitOnError'])
}

function bundlePage(outDir) {
  runNode('the bundler', [join(root, 'scripts', 'build-dashboard.mjs'), outDir])
}

function bundleLibraries(outDir) {
  runNode('the bundler', [join(root, 'scripts', 'bundle-libraries.mjs'), outDir])
}

// On our Node, and with what it says shown only when it fails.
function runNode(what, args) {
  const result = spawnSync(nodePath(), args, { cwd: root, encoding: 'utf8' })
  if (result.error) throw new SetupError(`${what} did not start: ${result.error.message}`)
  if (result.status === 0) return
  throw new SetupError(`the build failed; ${what} says why above`, result.stdout + result.stderr)
}

/** What is compiled on the machine of the user: the client of hooks, and the helper of jobs. */
function copySources(outDir) {
  const runner = readdirSync(join(root, 'src', 'runner')).filter((name) => /\.[ch]$/.test(name))
  const jobs = runner.map((name) => join('runner', name))
  for (const name of [join('doors', 'hook', 'client', 'pawl-hook.c'), ...jobs]) {
    copyFileSync(join(root, 'src', name), join(outDir, name))
  }
}

// Only a build that was killed leaves any.
function removeLeftovers() {
  for (const name of readdirSync(root)) {
    if (/^\.dist-(new|old)-\d+$/.test(name)) rmSync(join(root, name), { recursive: true })
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await ensureInstalled()
    await withLock(build)
  } catch (error) {
    tellFault(error)
    exit(2)
  }
}
