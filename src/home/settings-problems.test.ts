import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { homeOf } from './home.ts'
import { settingsProblems } from './settings-problems.ts'

function problemsWith(config: object | string, secrets: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-settings-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const text = typeof config === 'string' ? config : JSON.stringify(config)
  const files = { 'config.json': text, ...secrets }
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content, { mode: 0o600 })
  }
  return settingsProblems(homeOf({ PAWL_HOME: folder }, folder))
}

const hook = { type: 'webhook', url: 'https://example.org/x', secretFile: 'hook.secret' }
const settings = {
  notify: { channels: { ops: hook } },
  proxy: { mail: { keyFile: 'resend.key' } },
}

test('settings that can be read, with all their secrets, have no problem', () => {
  expect(problemsWith('{}')).toEqual([])
  expect(problemsWith(settings, { 'hook.secret': 's', 'resend.key': 'k' })).toEqual([])
})

test('each secret that is named and not there is told with its file', () => {
  const problems = problemsWith(settings, { 'resend.key': ' \n' })
  expect(problems).toHaveLength(2)
  expect(problems[0]).toMatch(/no secret in `.*hook\.secret`: write it/)
  expect(problems[1]).toMatch(/no secret in `.*resend\.key`: write it/)
})

test('settings that the daemon cannot start with are told with their line', () => {
  const [problem] = problemsWith('{\n  "notify": { "channels": { "x": { "type": "fax" } } }\n}')
  expect(problem).toMatch(/^the daemon cannot start: a channel has no known `type`;.*line 2/)
})
