/**
 * What only Qwen Code does: its model reaches the tools of MCP servers through `tool_call`, and
 * hooks are asked about the tool that it calls.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drive } from '../../src/prove/hosts/drive.ts'
import { fileText } from '../../src/prove/sandbox-env.ts'
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
