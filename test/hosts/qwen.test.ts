/**
 * What only Qwen Code does: its model reaches the tools of MCP servers through `tool_call`, and
 * other tools through programs (`exec`), and hooks are asked about the tools that they call.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { denialIn } from '../../src/core/engine/count-denials.ts'
import type { Event } from '../../src/core/engine/types.ts'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { fileText, putFile } from '../../src/prove/sandbox-env.ts'
import { begin, filesystemServer, testedHosts, worldFor } from './hosts.ts'

const isTested = testedHosts.includes('qwen')

test.runIf(isTested)('qwen: a call through `tool_call` is judged as what it calls', async () => {
  const world = await worldFor('qwen')
  const script = (name: string) => ({
    turns: [
      { tools: [{ name: 'tool_search', input: { query: 'select:mcp__fs__write_file' } }] },
      {
        tools: [
          {
            name: 'tool_call',
            input: {
              name: 'mcp__fs__write_file',
              arguments: { path: join(world.project, name), content: 'made' },
            },
          },
        ],
      },
      { text: 'All done.' },
    ],
  })
  const session = (name: string): ReturnType<typeof drive> => {
    const mcp = { fs: filesystemServer(world) }
    return drive({ ...world, mcp, script: script(name), timeoutMs: 60_000 })
  }
  await session('free')
  expect(fileText(join(world.project, 'free')), 'without hooks it is made').toBe('made')
  await world.mustPawl('init', 'qwen', '--yes')
  await begin(world)
  const { calls } = await session('held')
  const [search, bridged] = calls.map(({ told }) => told)
  expect(search, 'bookkeeping is free').toContain('<functions>')
  expect(bridged).toContain('TOOL_NOT_ALLOWED')
  expect(fileText(join(world.project, 'held'))).toBe(null)
})

test.runIf(isTested)('qwen: each call of a program in code mode is judged by itself', async () => {
  const world = await worldFor('qwen')
  const session = (name: string): ReturnType<typeof drive> => {
    const program = drivers.qwen.codeMode?.(`touch ${name}`)
    const turns = [{ tools: program === undefined ? [] : [program] }, { text: 'All done.' }]
    return drive({ ...world, isCodeMode: true, script: { turns }, timeoutMs: 60_000 })
  }
  await session('free')
  expect(fileText(join(world.project, 'free')), 'without hooks it is made').toBe('')
  await world.mustPawl('init', 'qwen', '--yes')
  const definition = {
    id: 'programs',
    initial: 'reading',
    states: {
      reading: { allowed_tools: ['Read', 'exec'], on: { READ: 'done' } },
      done: { type: 'final' },
    },
  }
  const file = putFile(world, 'programs.json', JSON.stringify(definition))
  const { runId } = JSON.parse(await world.mustPawl('start', file, '--json'))
  const { calls } = await session('held')
  expect(calls[0]?.told).toContain('Pawl denied')
  expect(fileText(join(world.project, 'held'))).toBe(null)
  const { items } = JSON.parse(await world.mustPawl('log', runId, '--denied', '--json'))
  const tools = items.flatMap(({ data }: { data: Event }) => denialIn(data)?.tool ?? [])
  expect(tools, 'the program itself is allowed').toEqual(['run_shell_command'])
})
