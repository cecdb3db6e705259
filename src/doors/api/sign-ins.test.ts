import { expect, test } from 'vitest'
import { operationNames } from './operations-table.ts'
import { type Access, leastAccess, permits } from './sign-in-access.ts'
import { type KeptSignIn, openSignIns, type SignedIn } from './sign-ins.ts'

type SignInsBench = ReturnType<typeof openBook>

function openBook(kept: KeptSignIn[] = []) {
  const clock = { now: 1_000_000 }
  const state = { kept: kept as readonly KeptSignIn[], people: ['bob'] }
  const signIns = openSignIns({
    now: () => clock.now,
    name: 'ada',
    isKnown: (name) => state.people.includes(name),
    read: () => state.kept,
    write: (next) => {
      state.kept = next
    },
  })
  return { signIns, state, clock }
}

function enter({ signIns }: SignInsBench, access: Access = 'admin'): SignedIn {
  const signed = signIns.redeem(signIns.invite(access).code)
  if (signed === null || signed === 'busy') throw new Error('nobody was signed in')
  return signed
}

test('a code signs in once, as what it was made for', () => {
  const { signIns } = openBook()
  const { code } = signIns.invite('approver')
  const signed = signIns.redeem(code) as SignedIn
  expect(signed.caller).toEqual({ role: 'person', name: 'ada', access: 'approver' })
  expect(signIns.find(signed.key)).toEqual(signed.caller)
  expect(signIns.redeem(code)).toBeNull()
})

test('whoever asked for the code is signed in, and is out when they are no longer known', () => {
  const { signIns, state } = openBook()
  const { key, caller } = signIns.redeem(signIns.invite('admin', 'bob').code) as SignedIn
  expect(caller.name).toBe('bob')
  expect(signIns.find(key)?.name).toBe('bob')
  state.people = []
  expect(signIns.find(key)).toBeNull()
})

test('a code is void after five minutes, and so is one that nobody made', () => {
  const { signIns, clock } = openBook()
  const { code, expiresAt } = signIns.invite('admin')
  expect(expiresAt - clock.now).toBe(300_000)
  clock.now = expiresAt
  expect(signIns.redeem(code)).toBeNull()
  expect(signIns.redeem('')).toBeNull()
  expect(signIns.redeem('made-up')).toBeNull()
})

test('nothing but the key signs in: not a part of it, its hash, or a code', () => {
  const book = openBook()
  const { key } = enter(book)
  const { code } = book.signIns.invite('admin')
  const hash = book.state.kept[0]?.hash ?? ''
  for (const other of ['', key.slice(1), `${key}x`, hash, code]) {
    expect(book.signIns.find(other), other).toBeNull()
  }
  expect(book.signIns.find(key)).not.toBeNull()
})

test('a sign-in survives a restart, lasts a week, and what is kept opens nothing', () => {
  const first = openBook()
  const { key } = enter(first)
  expect(JSON.stringify(first.state.kept)).not.toContain(key)
  const next = openBook([...first.state.kept])
  expect(next.signIns.find(key)).not.toBeNull()
  next.clock.now += 7 * 86_400_000
  expect(next.signIns.find(key)).toBeNull()
})

test('signing out ends one sign-in and no other', () => {
  const book = openBook()
  const [one, other] = [enter(book), enter(book)]
  book.signIns.end(one.key)
  expect(book.signIns.find(one.key)).toBeNull()
  expect(book.signIns.find(other.key)).not.toBeNull()
})

test('guessing is stopped for a minute, and keeps out nobody who has a code', () => {
  const { signIns, clock } = openBook()
  const answers = Array.from({ length: 40 }, () => signIns.redeem('guess'))
  expect(answers.at(-1)).toBe('busy')
  expect(signIns.redeem(signIns.invite('admin').code)).toHaveProperty('key')
  clock.now += 60_000
  expect(signIns.redeem('guess')).toBeNull()
})

test('as many sign-ins are kept as there may be, and the oldest goes first', () => {
  const book = openBook()
  const [oldest, ...others] = Array.from({ length: 51 }, () => {
    book.clock.now += 60_000
    return enter(book)
  })
  expect(book.state.kept).toHaveLength(50)
  expect(book.signIns.find(oldest?.key ?? '')).toBeNull()
  for (const one of others) expect(book.signIns.find(one.key)).not.toBeNull()
})

test('a viewer changes nothing, and nobody but an admin does what has no rule', () => {
  const mine = (access: Access) => operationNames.filter((name) => permits(access, name))
  expect(mine('viewer').filter((name) => !/^(check|judge|health|me|status)$/.test(name))).toEqual(
    operationNames.filter((name) => leastAccess(name) === 'viewer' && /\./.test(name)),
  )
  for (const name of mine('viewer')) expect(name).not.toMatch(/decide|start|signal|create|stop/)
  expect(mine('approver')).toContain('approvals.decide')
  for (const name of ['jobs.list', 'jobs.read', 'jobs.logs'] as const) {
    expect(mine('viewer')).toContain(name)
  }
  expect(mine('viewer')).not.toContain('jobs.kill')
  expect(mine('approver')).toContain('jobs.kill')
  expect(mine('author')).not.toContain('jobs.run')
  expect(mine('approver')).not.toContain('definitions.create')
  expect(mine('author')).toContain('definitions.update')
  for (const name of ['stop', 'runs.import', 'runs.force', 'signIns.invite'] as const) {
    expect(mine('author')).not.toContain(name)
  }
  expect(mine('admin')).toEqual(operationNames)
})
