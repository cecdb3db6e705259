/** Tokens of people: each has one name, is kept as a hash, and counts until it is taken away. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Home, homeOf } from './home.ts'
import { addPerson, listPeople, openPeople, openPeopleDoor, removePerson } from './people-file.ts'
import { userName } from './user-name.ts'

function openScratch(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-people-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return homeOf({ PAWL_HOME: join(folder, 'home') }, '/')
}

function fail(fault: unknown): void {
  throw fault
}

test('a token names its person, at once and until it is taken away', () => {
  const home = openScratch()
  const whose = openPeople(home, fail)
  expect(whose('anything')).toBeNull()
  const [ada, bob] = [addPerson(home, 'ada'), addPerson(home, 'bob')]
  expect([whose(ada), whose(bob), whose(`${ada}x`), whose('')]).toEqual(['ada', 'bob', null, null])
  const kept = readFileSync(home.people, 'utf8')
  expect(kept).not.toContain(ada)
  expect(whose(JSON.parse(kept).people[0].hash)).toBeNull()
  expect(statSync(home.people).mode & 0o777).toBe(0o600)
  removePerson(home, 'ada')
  expect([whose(ada), whose(bob)]).toEqual([null, 'bob'])
  expect(listPeople(home).map((one) => one.name)).toEqual(['bob'])
})

test('nobody is two people, by another case or as the owner', () => {
  const home = openScratch()
  addPerson(home, 'ada')
  const taken = ['ada', 'Ada', userName(), '', 'a b', '../ada', '-x', 'ада', 'x'.repeat(65)]
  for (const name of taken) {
    expect(() => addPerson(home, name), name).toThrow(expect.objectContaining({ code: 'USAGE' }))
  }
  expect(() => removePerson(home, 'eve')).toThrow()
  expect(listPeople(home)).toHaveLength(1)
})

test('a file for a token is new, and nobody is added when it can not be', () => {
  const home = openScratch()
  const door = openPeopleDoor(home)
  const file = join(home.folder, '..', 'ada.token')
  writeFileSync(file, 'mine')
  const unwritable = expect.objectContaining({ code: 'FILE_UNWRITABLE' })
  expect(() => door.add('ada', file)).toThrow(unwritable)
  expect(readFileSync(file, 'utf8')).toBe('mine')
  expect(door.list()).toEqual([])
})

test('a file of people that can not be read lets nobody in', () => {
  const home = openScratch()
  const token = addPerson(home, 'ada')
  writeFileSync(home.people, '{"people": [{"name": "ada", "hash": ""}]}')
  const troubles: unknown[] = []
  const whose = openPeople(home, (fault) => troubles.push(fault))
  expect([whose(token), whose(token)]).toEqual([null, null])
  expect(troubles).toMatchObject([{ code: 'FILE_UNREADABLE' }])
})
