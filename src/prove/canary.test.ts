import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Canary, tryCanaries } from './canary.ts'
import { prepareHome } from './hosts/drive.ts'
import type { SandboxEnv } from './sandbox-env.ts'

/** A host that asks its model twice and ends, whatever the model wants next. */
function world(): SandboxEnv {
  const root = mkdtempSync(join(tmpdir(), 'pawl-canary-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const place = { project: join(root, 'work'), home: join(root, 'home') }
  mkdirSync(place.project)
  prepareHome('claude', place)
  const program = join(root, 'host')
  const messages = (many: number): string =>
    `[{ role: 'user', content: 'go' }, ...Array(${many}).fill({ role: 'assistant', content: [] })]`
  const ask = (many: number): string =>
    `await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST',
      body: JSON.stringify({ tools: [{ name: 'Bash' }], messages: ${messages(many)} }) })`
  writeFileSync(program, `#!${process.execPath}\n${ask(0)}\n${ask(1)}`)
  chmodSync(program, 0o755)
  return { ...{ host: 'claude', program, root, env: {} }, ...place } as unknown as SandboxEnv
}

const turns = [{ tools: [{ name: 'Bash', input: { command: 'true' } }] }]

test('what the proof breaks is put back when the session ends in between', async () => {
  let settings = 'kept'
  const canaries: readonly Canary[] = [
    { id: 'wipe', turns, hasLanded: () => settings !== 'kept' },
    {
      ...{ id: 'outside', turns, hasLanded: () => false },
      before: async () => {
        settings = ''
      },
      after: async () => {
        settings = 'kept'
      },
    },
  ]
  const wish = { world: world(), canaries, mcp: {}, hookTrust: 'asked', timeoutMs: 20_000 } as const
  const { tried, transcript } = await tryCanaries(wish)
  expect(transcript.exchanges.length, transcript.output).toBe(2)
  expect(settings).toBe('kept')
  expect(tried.map(({ id, hasLanded }) => [id, hasLanded])).toEqual([
    ['wipe', false],
    ['outside', null],
  ])
})
