/** What publishing a text would loosen and tighten, against the version in force. */
import { compareDefinitions } from '../../src/core/machine/compare-permissions.ts'
import type { PermissionChange } from '../../src/core/machine/permission-change.ts'
import { compileText } from './compile-text.ts'

/** Between the definitions in two texts. */
export function permissionChanges(before: string, after: string): readonly PermissionChange[] {
  return compareDefinitions(compileText(before).machines, compileText(after).machines)
}

/** Whether somebody has to agree before it is published. */
export function needsAgreement(changes: readonly PermissionChange[]): boolean {
  return changes.some(({ effect }) => effect !== 'tightens')
}
