/**
 * What a person who signed in to the page may do. A token from the data directory may do
 * everything; a sign-in can have less access.
 */
import { type OperationName, operations } from './operations-table.ts'

/** Each may do what those before it may. */
export const accesses = ['viewer', 'approver', 'author', 'admin'] as const
export type Access = (typeof accesses)[number]

/** What only looks is for everybody, and what is not named here for nobody but an admin. */
const least: Readonly<Partial<Record<OperationName, Access>>> = {
  check: 'viewer',
  judge: 'viewer',
  'approvals.decide': 'approver',
  'passkeys.askDecision': 'approver',
  'passkeys.begin': 'approver',
  'passkeys.add': 'approver',
  'passkeys.remove': 'approver',
  'passkeys.askConfirmation': 'approver',
  'passkeys.confirm': 'approver',
  'runs.pause': 'approver',
  'runs.resume': 'approver',
  'runs.cancel': 'approver',
  'jobs.kill': 'approver',
  'runs.start': 'author',
  'runs.signal': 'author',
  'definitions.create': 'author',
  'definitions.update': 'author',
  'definitions.delete': 'author',
  'definitions.accept': 'author',
}

/** The least access that an operation takes. */
export function leastAccess(name: OperationName): Access {
  return least[name] ?? (operations[name].method === 'GET' ? 'viewer' : 'admin')
}

/** Whether somebody with this access may do it. */
export function permits(access: Access, name: OperationName): boolean {
  return accesses.indexOf(access) >= accesses.indexOf(leastAccess(name))
}
