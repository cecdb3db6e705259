import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../main/daemon.contract.ts'
import { drive, hostEnv, prepareHome } from './drive.ts'
import { findProgram, installedProgram } from './find-host.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-drive-'))
  mkdirSync(join(root, 'work'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const place = () => ({ project: join(root, 'work'), home: join(root, 'home') })

/** A program that stands for a host: plain Node, with `ask` to talk to the model. */
function fakeHost(body: string): string {
  const program = join(root, 'fake-host')
  const ask = `const ask = async (messages) => (await fetch(process.env.ANTHROPIC_BASE_URL
    + '/v1/messages', { method: 'POST', body: JSON.stringify({ tools: [{ name: 'Bash' }],
    messages }) })).json()`
  writeFileSync(
    program,
    `#!${process.execPath}\nimport { spawn } from 'node:child_process'\n${ask}\n${body}`,
  )
  chmodSync(program, 0o755)
  return program
}

async function driveFake(body: string, timeoutMs = 20_000) {
  prepareHome('claude', place())
  const script = { turns: [{ tools: [{ name: 'Bash', input: { command: 'true' } }] }] }
  return drive({ host: 'claude', program: fakeHost(body), ...place(), script, timeoutMs })
}

test('a transcript says what the model was told back about each call', async () => {
  const transcript = await driveFake(`
    const { content: [call] } = await ask([{ role: 'user', content: 'go' }])
    await ask([{ role: 'user', content: 'go' }, { role: 'assistant', content: [] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'no' }] }])
  `)
  expect(transcript).toMatchObject({ exitCode: 0, why: 'ended', unused: [] })
  expect(transcript.calls).toMatchObject([{ name: 'Bash', told: 'no' }])
})

test('a session that ends early is told from one that used all turns', async () => {
  const transcript = await driveFake('process.exit(3)')
  expect(transcript).toMatchObject({ exitCode: 3, unused: ['main 0/1'], calls: [] })
})

test('a host that hangs is ended with everything that it started', async () => {
  const file = join(root, 'work', 'pid')
  const transcript = await driveFake(
    `const child = spawn('sh', ['-c', 'echo $$ > ${file}; exec sleep 60'])
     process.on('SIGTERM', () => undefined)
     setInterval(() => undefined, 1000)`,
    1_500,
  )
  expect(transcript).toMatchObject({ exitCode: null, why: 'timeout' })
  const pid = Number(readFileSync(file, 'utf8'))
  await until(() => isGone(pid), 'the child of the host ends')
})

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

test('what a host leaves behind in its group ends with it', async () => {
  const file = join(root, 'work', 'late')
  await driveFake(
    `spawn('sh', ['-c', 'sleep 1; echo x > ${file}'], { stdio: 'ignore' }).unref()
     setTimeout(() => process.exit(0), 100)`,
  )
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(existsSync(file)).toBe(false)
})

test('a host gets nothing of our environment but the PATH', () => {
  process.env.PAWL_TEST_SECRET = 'x'
  const env = hostEnv('claude', place())
  expect(env).not.toHaveProperty('PAWL_TEST_SECRET')
  expect(env.HOME).toBe(join(root, 'home'))
  expect(env.CLAUDE_CONFIG_DIR).toBe(join(root, 'home', '.claude'))
  delete process.env.PAWL_TEST_SECRET
})

test('a program is looked for where it is named, on the PATH, and where tests put it', () => {
  const put = (path: string): string => {
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, '#!/bin/sh\n')
    chmodSync(path, 0o755)
    return path
  }
  const home = join(root, 'h')
  expect(findProgram('codex', { HOME: home, PATH: '' })).toBeNull()
  const late = put(installedProgram(join(home, '.cache/pawl-clients/pk'), 'codex'))
  expect(findProgram('codex', { HOME: home, PATH: '' })).toBe(late)
  const onPath = put(join(root, 'bin', 'codex'))
  const env = { HOME: home, PATH: `/nowhere:${join(root, 'bin')}` }
  expect(findProgram('codex', env)).toBe(onPath)
  const named = put(installedProgram(join(root, 'pk'), 'codex'))
  expect(findProgram('codex', { ...env, PAWL_HOSTS_ROOT: join(root, 'pk') })).toBe(named)
})
