/**
 * What a new version of a definition loosens and tightens: tools, commands, limits, approvals,
 * conditions and ways. For people who publish; nothing is decided by it. What it cannot weigh is
 * `unclear`, never left out. Texts for the agent are no permission.
 */
import { compareRoutes } from './compare-routes.ts'
import { compareRunRules } from './compare-run-rules.ts'
import { compareStageRules } from './compare-stage-rules.ts'
import type { Machine, Stage } from './machine.ts'
import { changeNotes, namesText, type PermissionChange } from './permission-change.ts'

const order = { loosens: 0, unclear: 1, tightens: 2 } as const

/** The changes, those that loosen first. */
export function comparePermissions(before: Machine, after: Machine): readonly PermissionChange[] {
  if (before.hash === after.hash) return []
  const changes: PermissionChange[] = []
  compareRunRules(changeNotes(changes, null), { before, after })
  for (const [name, stage] of Object.entries(after.stages)) {
    const notes = changeNotes(changes, name)
    const old = Object.hasOwn(before.stages, name) ? before.stages[name] : undefined
    if (old === undefined) notes.unclear(`is a new stage, with ${permittedText(stage)}`)
    else {
      compareStageRules(notes, { before: old.rule, after: stage.rule })
      compareRoutes(notes, { before: old, after: stage })
    }
  }
  for (const name of Object.keys(before.stages)) {
    if (!Object.hasOwn(after.stages, name)) changeNotes(changes, name).unclear('is removed')
  }
  return changes.toSorted((a, b) => order[a.effect] - order[b.effect])
}

function permittedText({ rule }: Stage): string {
  const { allow } = rule.tools
  if (allow === 'all') return 'every tool'
  return allow.length === 0 ? 'no tools' : namesText(allow)
}

/**
 * The same for everything that a file defines: each with the one of its name; where both files
 * have one definition, these two.
 */
export function compareDefinitions(
  before: readonly Machine[],
  after: readonly Machine[],
): readonly PermissionChange[] {
  const isOne = before.length === 1 && after.length === 1
  return after.flatMap((machine): readonly PermissionChange[] => {
    const same = isOne ? before[0] : before.find((one) => one.name === machine.name)
    if (same !== undefined) return comparePermissions(same, machine)
    return [{ effect: 'unclear', stage: null, text: `the task \`${machine.name}\` is new` }]
  })
}
