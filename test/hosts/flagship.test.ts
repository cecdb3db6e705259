/**
 * The workflow that Pawl shows first is finished in every real host with its default settings, by
 * a model that follows its host: without one refusal, and with a person who agrees to the merge.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { fileText } from '../../src/prove/sandbox-env.ts'
import { flagshipScript, putBug, workFlagship } from './flagship.ts'
import { testedHosts, worldFor } from './hosts.ts'

const definition = join(import.meta.dirname, '../../examples/workflow/tdd-bug-fix.json')

test.each(testedHosts)('%s: the flagship is finished without a false refusal', async (host) => {
  const world = await worldFor(host)
  putBug(world)
  await world.mustPawl('init', host, '--yes')
  const run: string = JSON.parse(await world.mustPawl('start', definition, '--json')).runId
  const transcript = await workFlagship(world, run, flagshipScript(world))
  const story = transcript.calls.map(
    ({ name, input, told }) => `${name} ${JSON.stringify(input).slice(0, 200)}\n    ${told}`,
  )
  if (process.env.PAWL_HOSTS_TELL === '1') console.log(story.join('\n'))
  const log = await world.mustPawl('log', run)
  expect(log, story.join('\n')).not.toContain('call.denied')
  expect(story.join('\n')).not.toMatch(/Pawl denied|Pawl: blocked/)
  expect(transcript.unused, story.join('\n')).toEqual([])
  const { head } = JSON.parse(await world.mustPawl('state', run, '--json'))
  expect(head, log).toMatchObject({ status: 'completed', stage: 'done' })
  expect(fileText(join(world.project, 'src/add.mjs'))).toContain('a + b')
  const commits = execFileSync('git', ['log', '--format=%s'], { cwd: world.project }).toString()
  expect(commits).toMatch(/^Fix add/)
  // Nobody had to be sent back to the run.
  const told = transcript.exchanges.flatMap((one) => one.told.map(({ text }) => text)).join('\n')
  expect(told).not.toContain('is not finished')
})
