/**
 * Pawl as npm installs it from the package, on an old Node and without a compiler on the PATH,
 * stops a call of the real Claude Code.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import { fileText } from '../../src/prove/sandbox-env.ts'
import { installPackage, nodeOf, pack, scratchFolder } from '../install/package.ts'
import { testedHosts, worldFor } from './hosts.ts'

function scratch(name: string): string {
  const folder = scratchFolder(name)
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test.runIf(testedHosts.includes('claude'))(
  'installed on Node 18, it blocks a write of Claude Code',
  async () => {
    const node = nodeOf('18.20.8')
    const { tarball } = pack(scratch('pack'))
    const installed = installPackage({ node, tarball, as: 'global', scratch })
    const world = await worldFor('claude', [node, installed.program])
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
)
