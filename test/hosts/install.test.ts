/**
 * Pawl as npm installs it from the package, on an old Node and a machine without a compiler, stops
 * a call of the real Claude Code.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { fileText } from '../../src/prove/sandbox-env.ts'
import {
  installPackage,
  nodeOf,
  pack,
  putTools,
  scratchFolder,
  whyNotPrebuilt,
  withoutCompilers,
} from '../install/package.ts'
import { testedHosts, worldFor } from './hosts.ts'

function scratch(name: string): string {
  const folder = scratchFolder(name)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const findsCompilers = `console.log(JSON.stringify(
  ['/usr/bin', '/usr/local/bin'].flatMap((folder) => ['cc', 'gcc', 'clang']
    .map((name) => folder + '/' + name)).filter((path) => require('fs').existsSync(path))))`

test.runIf(testedHosts.includes('claude'))(
  'installed on Node 18, it blocks a write of Claude Code',
  async ({ skip }) => {
    const node = nodeOf('18.20.8')
    const { tarball } = pack(scratch('pack'))
    const why = whyNotPrebuilt()
    if (why !== null) return skip(why)
    const installed = installPackage({ node, tarball, as: 'global', scratch })
    const path = putTools(scratch('tools'), node)
    const hiding = withoutCompilers(scratch('hidden'))
    const pawl = [...hiding, node, installed.program] as const
    const seen = execFileSync(hiding[0], [...hiding.slice(1), node, '-e', findsCompilers])
    expect(JSON.parse(String(seen)), 'compilers that Pawl would find').toEqual([])
    const world = await worldFor('claude', { pawl, path })
    const target = join(world.project, 'hello.txt')
    const call = drivers.claude.toolCalls.write?.(target, 'hello\n')
    if (call === undefined) throw new Error('claude cannot write')
    const script = { turns: [{ tools: [call] }, { text: 'Done.' }] }
    const free = await drive({ ...world, script })
    expect(fileText(target), free.output).toBe('hello\n')
    rmSync(target)
    await world.mustPawl('init', 'claude', '--yes')
    const example = ['examples', 'workflow', 'tdd-bug-fix.json']
    await world.mustPawl('start', join(installed.folder, ...example))
    const held = await drive({ ...world, script })
    expect(fileText(target)).toBeNull()
    expect(held.calls[0]?.told, held.output).toContain('TOOL_NOT_ALLOWED')
    expect(await world.mustPawl('log')).toContain('call.denied')
    const stamp = readFileSync(join(world.pawlHome, 'bin', 'hook.stamp'), 'utf8')
    expect(JSON.parse(stamp).kind).toBe('prebuilt')
  },
  // WHY longer than others: making the package and installing it may each take five minutes.
  15 * 60_000,
)
