/**
 * The Claude Agent SDK, which starts Claude Code: it is held by the hooks of the folder, and
 * without its settings by what docs/reference/hosts.md says. Without either it is free, as the
 * first case shows: what can not fail proves nothing.
 */
import { spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { claudeHost } from '../../src/core/hosts/claude.ts'
import { hostEnv } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { hostsRoot } from '../../src/prove/hosts/find-host.ts'
import { openModel } from '../../src/prove/model/open-model.ts'
import { fileText, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'

const packageFolder = join(hostsRoot(process.env), 'agent-sdk', 'node_modules')
const sdk = join(packageFolder, '@anthropic-ai', 'claude-agent-sdk', 'sdk.mjs')
const isTested = testedHosts.includes('claude') && fileText(sdk) !== null

/** A program as its author would write it. */
const program = `
import { query } from ${JSON.stringify(sdk)}
const [prompt, options] = process.argv.slice(2)
const base = {
  model: 'claude-sonnet-4-5',
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
  ...JSON.parse(options),
}
for await (const message of query({ prompt, options: base })) console.log(JSON.stringify(message))
`

/** Whether a command that writes a file was run by an agent with these options. */
async function writes(world: SandboxEnv, options: object): Promise<boolean> {
  const mark = join(world.project, 'written.txt')
  const { shell } = drivers.claude.toolCalls
  const turns = [{ tools: [shell(`echo x > ${mark}`)] }, { text: 'Done.' }]
  const model = await openModel({ script: { turns } })
  const file = join(world.root, 'agent.mjs')
  writeFileSync(file, program)
  try {
    const told = await new Promise<string>((resolve) => {
      const child = spawn(process.execPath, [file, 'Do the work.', JSON.stringify(options)], {
        cwd: world.project,
        env: {
          ...{ ...hostEnv('claude', world), ...world.env },
          [claudeHost.model.baseUrlVariable]: model.url,
        },
        timeout: 60_000,
      })
      let output = ''
      child.stdout.on('data', (text) => (output += text))
      child.stderr.on('data', (text) => (output += text))
      child.on('close', () => resolve(output))
    })
    expect(model.exchanges.length, told.slice(-2_000)).toBeGreaterThan(1)
    return fileText(mark) !== null
  } finally {
    rmSync(mark, { force: true })
    await model.close()
  }
}

test.runIf(isTested)('the Claude Agent SDK is held by the hooks of the folder', async () => {
  const world = await worldFor('claude')
  expect(await writes(world, {}), 'without hooks it is free').toBe(true)
  await world.mustPawl('init', 'claude', '--yes')
  const run = await begin(world)
  expect(await writes(world, {}), 'as it is by default').toBe(false)
  const { items } = JSON.parse(await world.mustPawl('log', run, '--json'))
  expect(items.map(({ type }: { type: string }) => type)).toContain('call.denied')
})

test.runIf(isTested)(
  'without settings, the Claude Agent SDK needs one of two options',
  async () => {
    const world = await worldFor('claude')
    await world.mustPawl('init', 'claude', '--yes')
    await begin(world)
    const settings = join(world.project, claudeHost.hooksFile)
    expect(await writes(world, { settingSources: [] }), 'it reads no hooks').toBe(true)
    expect(await writes(world, { settingSources: [], settings }), 'hooks by name').toBe(false)
    await world.mustPawl('init', '--user', 'claude', '--yes')
    expect(await writes(world, { settingSources: ['user'] }), 'hooks of the user').toBe(false)
  },
)
