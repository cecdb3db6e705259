/**
 * `node copy-bytes.ts PROGRAM ARGS…`: a program behind a process that copies bytes both ways and
 * looks at none of them.
 */
import { spawn } from 'node:child_process'

const child = spawn(process.execPath, process.argv.slice(2), {
  stdio: ['pipe', 'pipe', 'ignore'],
})
process.stdin.on('data', (bytes) => child.stdin.write(bytes))
process.stdin.on('end', () => child.kill())
child.stdout.on('data', (bytes) => process.stdout.write(bytes))
