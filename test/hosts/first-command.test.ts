/**
 * The command that `pawl init` tells a new user to try is typed as it stands, in each real host
 * with the settings of a new user: the write is denied, and the log says why.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentHosts } from '../../src/core/hosts/registry.ts'
import { fileText } from '../../src/prove/sandbox-env.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'
import { helloScript, typeCommand } from './type-command.ts'

test.each(testedHosts)('%s: the command that init suggests is denied', async (host) => {
  const world = await worldFor(host)
  const told = await world.mustPawl('init', host, '--yes')
  const { tryCommand } = agentHosts[host]
  expect(told).toContain(`  ${tryCommand}\n`)
  const run = await begin(world)
  const said = await typeCommand(world, tryCommand, helloScript(world))
  expect(fileText(join(world.project, 'hello.txt'))).toBeNull()
  const log = await world.mustPawl('log', run)
  expect(log, said).toMatch(/call\.denied .*TOOL_NOT_ALLOWED/)
})
