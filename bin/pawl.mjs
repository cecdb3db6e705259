#!/usr/bin/env node
/**
 * `pawl` as npm installs it. Runs the program on this Node if it is new enough, else on the Node
 * that came along as an optional dependency. Runs on Node 18; imports nothing but Node itself and
 * the check of its version.
 */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const program = join(root, 'dist', 'main', 'pawl.js')

if (!existsSync(program)) {
  fail('this Pawl is not built; in a checkout, start it with `./pawl`, which builds it')
}
const { nodeProblem } = await import('../dist/main/node-version.js')
if (nodeProblem(process.version) === null) await import('../dist/main/pawl.js')
else await runOn(ownNode())

/** The Node that npm brought for this machine; without one, says so and ends. */
function ownNode() {
  const require = createRequire(import.meta.url)
  const { optionalDependencies } = readPackage(join(root, 'package.json'))
  for (const name of Object.keys(optionalDependencies)) {
    const found = resolveOrNull(require, `${name}/package.json`)
    if (found === null) continue
    const { bin, os, cpu } = readPackage(found)
    // WHY looked at: `npm install --force` brings those of other machines as well.
    const fits = [os].flat().includes(process.platform) && [cpu].flat().includes(process.arch)
    if (fits) return join(dirname(found), bin.node)
  }
  const machine = `${process.platform}-${process.arch}`
  return fail(
    `Node 24 or newer is required, this is \`${process.version}\`, and the one that npm brings ` +
      `for ${machine} is not installed; install Pawl again without \`--omit=optional\`, ` +
      'or install Node 24 from https://nodejs.org',
  )
}

function readPackage(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function resolveOrNull(require, name) {
  try {
    return require.resolve(name)
  } catch {
    // Not installed, which is what we ask.
    return null
  }
}

/** Becomes the program where this Node can; else stands between it and whoever started this. */
async function runOn(node) {
  const args = [program, ...process.argv.slice(2)]
  // Since Node 22.15, and not on Windows.
  if (process.platform !== 'win32') process.execve?.(node, [node, ...args], process.env)
  const { spawn } = await import('node:child_process')
  const child = spawn(node, args, { stdio: 'inherit' })
  child.on('error', ({ message }) =>
    fail(
      `the Node that came along does not start: ${message}; ` +
        'install Node 24 or newer from https://nodejs.org',
    ),
  )
  passSignals(child)
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    // Ends as the program did, so that a shell sees why.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
    // Some signals do not end a process at once, or at all.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 100)
  })
}

function passSignals(child) {
  // WHY: a terminal sends these to every process of the group; once more would be a second one.
  const isTerminal = [0, 1, 2].some(isatty)
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      if (!isTerminal) child.kill(signal)
    })
  }
  for (const signal of ['SIGTERM', 'SIGUSR2']) process.on(signal, () => child.kill(signal))
}

function fail(message) {
  process.stderr.write(`pawl: ${message}\n`)
  process.exit(2)
}
