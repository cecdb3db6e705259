/**
 * A run that observes in each real host: nothing is blocked but changes to Pawl's own files, and
 * the record names exactly what the same session is denied when the run is enforced.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { denialIn, type RecordedDenial } from '../../src/core/engine/count-denials.ts'
import type { Event } from '../../src/core/engine/types.ts'
import { drive } from '../../src/prove/hosts/drive.ts'
import { drivers } from '../../src/prove/hosts/drivers.ts'
import type { ScriptedCall } from '../../src/prove/model/script.ts'
import { fileText, type SandboxEnv } from '../../src/prove/sandbox-env.ts'
import { begin, testedHosts, worldFor } from './hosts.ts'

/** Calls of the reading stage: some allowed, some not. */
function callsIn({ host, project }: SandboxEnv): readonly ScriptedCall[] {
  const { read, write, patch, shell } = drivers[host].toolCalls
  const made = write?.(join(project, 'early.txt'), 'made\n') ?? patch?.('early.txt', 'made')
  return [
    ...(read === null ? [] : [read(join(project, 'README.md'))]),
    ...(made === undefined ? [] : [made]),
    shell('touch by-shell.txt'),
    shell('node check.mjs'),
  ]
}

async function denialsOf(world: SandboxEnv, run: string): Promise<readonly RecordedDenial[]> {
  const { items } = JSON.parse(await world.mustPawl('log', run, '--denied', '--json'))
  return items.flatMap(({ data }: { data: Event }) => denialIn(data) ?? [])
}

async function sessionIn(world: SandboxEnv, ...start: readonly string[]) {
  await world.mustPawl('init', world.host, '--yes')
  const run = await begin(world, ...start)
  const turns = [...callsIn(world).map((call) => ({ tools: [call] })), { text: 'Done.' }]
  await drive({ ...world, script: { turns, exhausted: 'Done.' }, timeoutMs: 120_000 })
  const denials = await denialsOf(world, run)
  const files = ['early.txt', 'by-shell.txt'].map((name) => fileText(join(world.project, name)))
  return { denials, files }
}

test.each(testedHosts)(
  '%s: a run that observes blocks nothing and records it all',
  async (host) => {
    const observed = await sessionIn(await worldFor(host), '--observe')
    const enforced = await sessionIn(await worldFor(host))
    const told = JSON.stringify(observed.denials, null, 2)
    expect(observed.files, told).toEqual(['made\n', ''])
    expect(enforced.files).toEqual([null, null])
    expect(observed.denials.every(({ isObserved }) => isObserved)).toBe(true)
    const plain = ({ denials }: typeof observed) =>
      denials.map(({ verdict, tool, code, rule, reason }) => ({
        verdict,
        tool,
        code,
        rule,
        reason,
      }))
    expect(plain(observed)).toEqual(plain(enforced))
    expect(observed.denials.length).toBeGreaterThanOrEqual(3)
  },
)
