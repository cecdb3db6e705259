/**
 * A new user follows the README with each real host: the commands of its chapter "With the agent
 * you already use", in a repository with a bug, and then the work itself, until the run is
 * finished. The times are printed.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { agentHosts, type ProvableHostId } from '../../src/core/hosts/registry.ts'
import { fileText, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { flagshipScript, putBug, workFlagship } from './flagship.ts'
import { sessionStory, testedHosts, worldFor } from './hosts.ts'
import { helloScript, typeCommand } from './type-command.ts'

const root = join(import.meta.dirname, '..', '..')
const chapter = 'With the agent you already use'
const times: string[] = []

afterAll(() => console.log(['', 'seconds from `pawl init`', ...times, ''].join('\n')))

/** The commands of the first example in the chapter, without their comments. */
function commandsOf(text: string): readonly string[] {
  const block = /```sh\n([\s\S]*?)```/.exec(text.slice(text.indexOf(`## ${chapter}`)))?.[1] ?? ''
  return block
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').replaceAll('PATH-TO-PAWL', root))
    .filter((line) => line !== '')
}

/** Types one of them; the README shows Claude Code, and `pawl init` the command of each host. */
function typeOne(world: SandboxEnv, command: string): Promise<string> {
  const { tryCommand } = agentHosts[world.host]
  if (command === agentHosts.claude.tryCommand) {
    return typeCommand(world, tryCommand, helloScript(world))
  }
  // There is nobody to say yes.
  const asked = command === 'pawl init' ? `${command} ${world.host} --yes` : command
  const [name, ...words] = asked.split(' ')
  expect(name, 'the README calls something else').toBe('pawl')
  return world.mustPawl(...words)
}

const walked: readonly ProvableHostId[] = ['claude', 'codex', 'gemini', 'opencode']

test.each(walked.filter((host) => testedHosts.includes(host)))(
  '%s: the README leads from `pawl init` to a finished run',
  async (host) => {
    const world = await worldFor(host)
    putBug(world)
    const begun = performance.now()
    const seconds = (): string => ((performance.now() - begun) / 1_000).toFixed(1)
    const commands = commandsOf(readFileSync(join(root, 'README.md'), 'utf8'))
    expect(commands.map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual([
      ...['pawl init', 'pawl start', 'claude -p', 'pawl log'],
    ])
    const said: string[] = []
    for (const command of commands) said.push(await typeOne(world, command))
    expect(fileText(join(world.project, 'hello.txt'))).toBeNull()
    expect(said.at(-1), said.join('\n')).toMatch(/call\.denied .*TOOL_NOT_ALLOWED/)
    const proof = seconds()
    const [run] = JSON.parse(await world.mustPawl('runs', '--json')).items
    const transcript = await workFlagship(world, run.id, flagshipScript(world))
    const { head } = JSON.parse(await world.mustPawl('state', run.id, '--json'))
    expect(head, sessionStory(transcript)).toMatchObject({ status: 'completed', stage: 'done' })
    times.push(`${host.padEnd(10)} first denial ${proof}, finished ${seconds()}`)
  },
)
