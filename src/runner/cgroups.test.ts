/**
 * Where groups of the second version can be made, in folders that look like its own. The kernel at
 * hand has no controllers there, so what it would do with them is not tried.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { basesBelow } from './cgroups.ts'

/** `given: null`: it has processes, so that it gives nothing to the groups in it. */
type Group = { readonly has: string; readonly given: string | null }

function makeGroup(folder: string, { has, given }: Group): string {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'cgroup.controllers'), `${has}\n`)
  const control = join(folder, 'cgroup.subtree_control')
  // A folder refuses to be written, as the kernel does.
  if (given === null) mkdirSync(control)
  else writeFileSync(control, `${given}\n`)
  return folder
}

function openTop(group: Group): string {
  const top = mkdtempSync(join(tmpdir(), 'pawl-groups-'))
  onTestFinished(() => rmSync(top, { recursive: true }))
  return makeGroup(top, group)
}

const all = 'cpuset cpu io memory pids'

test('controllers that are given already, or can be, are used in the own group', () => {
  const top = openTop({ has: all, given: 'memory' })
  const bases = basesBelow(top, top)
  expect([...bases]).toEqual([
    ['memory', top],
    ['pids', top],
    ['cpu', top],
  ])
})

test('where the own group has processes, groups are made beside it', () => {
  const top = openTop({ has: all, given: 'memory pids' })
  const slice = makeGroup(join(top, 'app.slice'), { has: 'memory pids', given: 'memory pids' })
  const own = makeGroup(join(slice, 'pawl.service'), { has: 'memory pids', given: null })
  expect([...basesBelow(own, top)]).toEqual([
    ['memory', slice],
    ['pids', slice],
  ])
})

test('a group above is not changed, and nothing above the top is looked at', () => {
  const top = openTop({ has: all, given: '' })
  const own = makeGroup(join(top, 'own'), { has: all, given: null })
  expect([...basesBelow(own, top)]).toEqual([])
  const alone = makeGroup(join(top, 'alone'), { has: 'memory', given: null })
  expect([...basesBelow(alone, alone)]).toEqual([])
})
