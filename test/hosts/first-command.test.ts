/**
 * The command that `pawl init` tells a new user to try is typed as it stands, in each real host
 * with the settings of a new user: the write is denied, and the log says why.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { agentHosts } from '../../src/core/hosts/registry.ts'
import { hostEnv } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { openModel } from '../../src/prove/model/open-model.ts'
import type { Script } from '../../src/prove/model/script.ts'
import { fileText, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'

const typedMsMax = 180_000

/** What a model does that was asked to write hello into hello.txt. */
function helloScript({ host, project }: SandboxEnv): Script {
  const { write, patch } = drivers[host].toolCalls
  const call = write?.(join(project, 'hello.txt'), 'hello\n') ?? patch?.('hello.txt', 'hello')
  if (call === undefined) throw new Error(`${host} can not write`)
  return { turns: [{ tools: [call] }, { text: 'Done.' }], exhausted: 'Done.' }
}

/** The environment of a person in a shell, who has trusted nothing but has a model. */
function shellEnv(world: SandboxEnv, modelUrl: string): Record<string, string> {
  const { host, project, home } = world
  const sitting = { project, home, modelUrl, prompt: '', mcp: {}, hookTrust: 'asked' } as const
  const { GEMINI_CLI_TRUST_WORKSPACE: _, ...own } = hostEnv(host, world)
  return { ...own, ...drivers[host].start(sitting).env, ...world.env }
}

/** Codex takes the address of its model from a file; the driver names it on the command line. */
function nameModel({ home, host }: SandboxEnv, modelUrl: string): void {
  if (host !== 'codex') return
  const file = join(home, '.codex', 'config.toml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('http://127.0.0.1:9', modelUrl))
}

function type(command: string, cwd: string, env: Record<string, string>): Promise<string> {
  return new Promise((resolve) => {
    const child = execFile(
      '/bin/sh',
      ['-c', command],
      { cwd, env, timeout: typedMsMax, killSignal: 'SIGKILL' },
      (_, stdout, stderr) => resolve(`${stdout}${stderr}`),
    )
    child.stdin?.end()
  })
}

test.each(testedHosts)('%s: the command that init suggests is denied', async (host) => {
  const world = await worldFor(host)
  const told = await world.mustPawl('init', host, '--yes')
  const { tryCommand } = agentHosts[host]
  expect(told).toContain(`  ${tryCommand}\n`)
  const run = await begin(world)
  const model = await openModel({ script: helloScript(world) })
  onTestFinished(() => model.close())
  nameModel(world, model.url)
  const said = await type(tryCommand, world.project, shellEnv(world, model.url))
  expect(fileText(join(world.project, 'hello.txt'))).toBeNull()
  const log = await world.mustPawl('log', run)
  expect(log, said).toMatch(/call\.denied .*TOOL_NOT_ALLOWED/)
})
