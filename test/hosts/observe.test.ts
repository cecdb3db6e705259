/**
 * A run that observes in each real host: nothing is blocked but changes to Pawl's own files, and
 * the record names exactly what the same session in the same folder is denied afterwards, when the
 * run is enforced.
 */
import { rmSync } from 'node:fs'
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

const made = ['early.txt', 'by-shell.txt']

/** A session in a run of its own, which a person ends, and whose files are removed. */
async function sessionIn(world: SandboxEnv, ...start: readonly string[]) {
  const run = await begin(world, ...start)
  const turns = [...callsIn(world).map((call) => ({ tools: [call] })), { text: 'Done.' }]
  const { calls } = await drive({
    ...{ ...world, script: { turns, exhausted: 'Done.' }, timeoutMs: 120_000 },
  })
  const refused = calls.filter(({ told }) => told?.includes('Pawl denied')).length
  const denials = await denialsOf(world, run)
  const files = made.map((name) => fileText(join(world.project, name)))
  await world.mustPawl('cancel', run)
  for (const name of made) rmSync(join(world.project, name), { force: true })
  return { denials, files, refused }
}

test.each(testedHosts)(
  '%s: a run that observes blocks nothing and records it all',
  async (host) => {
    const world = await worldFor(host)
    await world.mustPawl('init', host, '--yes')
    const observed = await sessionIn(world, '--observe')
    const enforced = await sessionIn(world)
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
    // What the model was refused is what was foretold: no call more, and none less.
    expect([observed.refused, enforced.refused]).toEqual([0, observed.denials.length])
  },
)
