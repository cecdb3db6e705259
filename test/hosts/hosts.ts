/**
 * What tests of hosts share: the programs, worlds that end with the test, and hooks that are not
 * Pawl's, by which the harness itself is tested.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type ProvableHostId, provableHostIds } from '../../src/core/hosts/registry.ts'
import type { Transcript } from '../../src/prove/hosts/drive.ts'
import { findProgram, hostsRoot } from '../../src/prove/hosts/find-host.ts'
import type { McpServer } from '../../src/prove/hosts/host.ts'
import {
  hooksPathOf,
  openSandboxEnv,
  putFile,
  type SandboxEnv,
  type SandboxRequest,
} from '../../src/prove/sandbox-env.ts'
import { workflow } from './workflow.ts'

const root = join(import.meta.dirname, '..', '..')
/** WHY the built one: it is what people install, and starts in a third of the time. */
export const pawlProgram = join(root, 'dist', 'main', 'pawl.js')

/** The hosts that are tested; `PAWL_HOSTS=claude,codex` names fewer. */
export const testedHosts: readonly ProvableHostId[] = provableHostIds.filter((name) =>
  (process.env.PAWL_HOSTS ?? provableHostIds.join(',')).split(',').includes(name),
)

/** Hosts that start neither sub-agents nor the MCP servers of others. */
export const plainHosts: ReadonlySet<ProvableHostId> = new Set(['pi'])

/** A world for a host that ends with the test; `wish`: how it differs from that of a checkout. */
export async function worldFor(
  host: ProvableHostId,
  wish: Partial<Pick<SandboxRequest, 'pawl' | 'path'>> = {},
): Promise<SandboxEnv> {
  const found = findProgram(host, process.env)
  if (found === null) throw new Error(`${host} is not installed: use \`npm run test:hosts\``)
  const world = await openSandboxEnv({
    ...{ host, program: found, pawl: [process.execPath, pawlProgram] },
    ...wish,
  })
  onTestFinished(() => world.close())
  return world
}

/** What a session came to, for the message of a failed test. */
export function sessionStory({ exitCode, why, ms, calls, output }: Transcript): string {
  return [
    `${why} with code ${exitCode} after ${ms} ms`,
    ...calls.map((one) => `${one.name}: ${one.told}`),
    output.slice(-2_000),
  ].join('\n')
}

/** A hook that stops every call but reading and starting a sub-agent, written by hand. */
export function putDenyingHook(world: SandboxEnv): void {
  const { host } = world
  if (host === 'opencode') {
    const free = ['read', 'task']
    const body = `if (!${JSON.stringify(free)}.includes(input.tool)) throw new Error('denied')`
    const plugin = `export const Deny = async () => ({
      'tool.execute.before': async (input) => { ${body} },
    })`
    writeFileIn(hooksPathOf(world), plugin)
    return
  }
  if (host === 'pi') {
    const body = "if (event.toolName !== 'read') return { block: true, reason: 'denied' }"
    const extension = `export default (pi) => pi.on('tool_call', async (event) => { ${body} })`
    writeFileIn(hooksPathOf(world), extension)
    return
  }
  if (host === 'cline') {
    const free = ['read_files', 'spawn_agent']
    const isFree = `${JSON.stringify(free)}.includes(event.toolCall.toolName)`
    const body = `if (!${isFree}) return { skip: true }`
    const plugin = `export default { name: 'deny', manifest: { capabilities: ['hooks'] },
      hooks: { beforeTool: async (event) => { ${body} } } }`
    writeFileIn(hooksPathOf(world), plugin)
    return
  }
  const command = join(world.root, 'deny.sh')
  const free = '"(Read|Agent|spawn_agent|read_file|invoke_agent|complete_task|agent)"'
  writeFileSync(
    command,
    `#!/bin/sh\ngrep -qE '"tool_name": ?${free}' && exit 0\necho denied >&2\nexit 2\n`,
  )
  chmodSync(command, 0o755)
  if (host === 'copilot') {
    const hooks = { PreToolUse: [{ type: 'command', bash: command, timeoutSec: 30 }] }
    writeFileIn(hooksPathOf(world), JSON.stringify({ version: 1, hooks }))
    return
  }
  if (host === 'kimi') {
    const file = hooksPathOf(world)
    const hook = `[[hooks]]\nevent = "PreToolUse"\ncommand = "${command}"\n`
    writeFileSync(file, `${readFileSync(file, 'utf8')}${hook}`)
    return
  }
  const event = host === 'gemini' ? 'BeforeTool' : 'PreToolUse'
  const timeout = host === 'gemini' ? 30_000 : 30
  const hooks = { [event]: [{ hooks: [{ type: 'command', command, timeout }] }] }
  writeFileIn(hooksPathOf(world), JSON.stringify({ hooks }))
}

function writeFileIn(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** A run of the workflow in the project. */
export async function begin(world: SandboxEnv, ...more: readonly string[]): Promise<string> {
  putFile(world, 'README.md', '# A project\n')
  putFile(world, 'check.mjs', "process.stdout.write('checked')\n")
  const file = putFile(world, 'feature.json', JSON.stringify(workflow))
  return JSON.parse(await world.mustPawl('start', file, '--json', ...more)).runId
}

/** A run that waits for a person to agree; gives the id of the question. */
export async function ask(world: SandboxEnv): Promise<string> {
  const run = await begin(world, '--stage', 'implementing')
  await world.mustPawl('signal', 'BUILT', '--run', run)
  const { items } = JSON.parse(await world.mustPawl('approvals', run, '--json'))
  return items[0].id
}

/** A server that is not ours: the reference server for files, which may write in the project. */
export function filesystemServer({ project }: SandboxEnv): McpServer {
  const command = join(
    hostsRoot(process.env),
    'mcp',
    'node_modules',
    '.bin',
    'mcp-server-filesystem',
  )
  return { command, args: [project] }
}
