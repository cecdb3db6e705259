/**
 * Tries every way out of a job, in a process of its own so that it can be another user.
 * `run-escapes.ts PROGRAM LEVEL` prints what was tried, as JSON.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openScratch } from '../../src/runner/scratch.contract.ts'
import type { IsolationLevel } from '../../src/runtime/jobs/jobs-port.ts'

const [program = '', strongest = 'full'] = process.argv.slice(2)

/** Secrets of the kinds that a list of names misses, below a home that the environment names. */
const secrets = [
  '.ssh/id_rsa',
  '.netrc',
  '.config/some-cli/token.json',
  '.my-tool-key',
  'notes.txt',
]

const home = mkdtempSync(join(tmpdir(), 'pawl-escapes-home-'))
for (const name of secrets) {
  mkdirSync(join(home, name, '..'), { recursive: true })
  writeFileSync(join(home, name), 'PRIVATE')
}
const scratch = openScratch({ strongest: strongest as IsolationLevel, userFolders: [home] })
const { workspace } = scratch
copyFileSync(program, join(workspace, 'escapes'))
const near = join(workspace, 'near.sock')
const outside = join(home, 'far.sock')
const abstract = `@pawl-escapes-${process.pid}`
const servers = [near, outside, `\0${abstract.slice(1)}`].map((path) =>
  createServer((socket) => socket.end()).listen(path),
)
await Promise.all(servers.map((one) => new Promise((resolve) => one.once('listening', resolve))))
mkdirSync(join(workspace, '.pawl'))
mkdirSync(join(workspace, '.git'))
const guides = ['.pawl/policy.json', '.git/config'].map((name) => join(workspace, name))
for (const path of guides) writeFileSync(path, '{}')
try {
  const args = [
    ...secrets.map((name) => `secret=${join(home, name)}`),
    ...guides.map((path) => `closed=${path}`),
    ...[near, outside, abstract].map((path) => `socket=${path}`),
  ]
  const { isolation } = await scratch.run({
    command: `./escapes ${args.join(' ')} > tried.txt`,
  })
  const tried = readFileSync(join(workspace, 'tried.txt'), 'utf8')
  process.stdout.write(JSON.stringify({ level: isolation.level, tried, notes: isolation.notes }))
} finally {
  for (const one of servers) one.close()
  await scratch.remove()
  rmSync(home, { recursive: true, force: true })
}
