/** Compares the ways out of a stage in two versions: where they lead, and what they demand. */
import type { Gate, Guard, Route, Stage, Trigger } from './machine.ts'
import { moveText } from './move-text.ts'
import { type ChangeNotes, listDifference, namesText, valueKey } from './permission-change.ts'

type StagePair = { readonly before: Stage; readonly after: Stage }

/** Notes every difference. */
export function compareRoutes(notes: ChangeNotes, { before, after }: StagePair): void {
  if (before.final !== after.final) {
    notes.unclear(`a run that gets here ${after.final === null ? 'goes on' : `is ${after.final}`}`)
  }
  const fallback = after.fallback?.stage
  if (before.fallback?.stage !== fallback) {
    if (fallback === undefined) notes.tightens('unknown signals are rejected')
    else notes.loosens(`unknown signals lead to \`${fallback}\``)
  }
  if (valueKey(before.enter) !== valueKey(after.enter)) notes.unclear('writes other values')
  for (const name of Object.keys(before.signals)) {
    if (!Object.hasOwn(after.signals, name)) notes.tightens(`\`${name}\` is removed`)
  }
  for (const [name, trigger] of Object.entries(after.signals)) {
    const old = Object.hasOwn(before.signals, name) ? before.signals[name] : undefined
    if (old !== undefined) compareTriggers(notes, old, trigger)
    else for (const route of trigger.routes) notes.loosens(newWay(name, route))
  }
}

function newWay(name: string, { move, gate }: Route): string {
  return `\`${name}\` ${moveText(move)} is a new way${gate === null ? '' : ', with an approval'}`
}

function compareTriggers(notes: ChangeNotes, before: Trigger, after: Trigger): void {
  const { name } = after
  if (!before.canName && after.canName) notes.loosens(`\`${name}\` may lead to any stage`)
  if (before.canName && !after.canName) notes.tightens(`\`${name}\` no longer leads to any stage`)
  if (before.otherwise !== after.otherwise) {
    if (after.otherwise === 'complete')
      notes.loosens(`\`${name}\` completes the run if no way fits`)
    else notes.tightens(`\`${name}\` is rejected if no way fits`)
  }
  if (valueKey([before.prepare, before.commit]) !== valueKey([after.prepare, after.commit])) {
    notes.unclear(`\`${name}\` writes other values`)
  }
  compareFields(notes, before, after)
  const left = [...before.routes]
  for (const route of after.routes) {
    const key = valueKey(route.move)
    const at = left.findIndex((one) => valueKey(one.move) === key)
    const [old] = at < 0 ? [] : left.splice(at, 1)
    if (old === undefined) notes.loosens(newWay(name, route))
    else compareWays(notes, `\`${name}\` ${moveText(route.move)}`, [old, route])
  }
  for (const { move } of left) notes.tightens(`\`${name}\` ${moveText(move)} is removed`)
}

function compareFields(notes: ChangeNotes, before: Trigger, after: Trigger): void {
  const required = ({ fields }: Trigger) =>
    (fields ?? []).filter((one) => one.isRequired).map((one) => one.name)
  const { added, removed } = listDifference({ before: required(before), after: required(after) })
  if (removed.length > 0) notes.loosens(`\`${after.name}\` no longer needs ${namesText(removed)}`)
  if (added.length > 0) notes.tightens(`\`${after.name}\` needs ${namesText(added)}`)
}

function compareWays(notes: ChangeNotes, way: string, [old, now]: readonly [Route, Route]): void {
  compareGates(notes, way, [old.gate, now.gate])
  const fields = listDifference({ before: old.requires, after: now.requires })
  if (fields.removed.length > 0)
    notes.loosens(`${way} no longer needs ${namesText(fields.removed)}`)
  if (fields.added.length > 0) notes.tightens(`${way} needs ${namesText(fields.added)}`)
  const [before, after] = [old.guards, now.guards].map(
    (guards) => new Map(guards.map((one) => [conditionKey(one), one])),
  ) as [Map<string, Guard>, Map<string, Guard>]
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, one]) => one)
  const fresh = [...after].filter(([key]) => !before.has(key)).map(([, one]) => one)
  for (const guard of gone) {
    const heir = fresh.find((one) => conditionName(one) === conditionName(guard))
    if (heir === undefined) notes.loosens(`${way} no longer requires ${conditionName(guard)}`)
    else notes.unclear(`${way} requires something else by ${conditionName(guard)}`)
  }
  for (const guard of fresh) {
    const isNew = gone.every((one) => conditionName(one) !== conditionName(guard))
    if (isNew) notes.tightens(`${way} requires ${conditionName(guard)}`)
  }
}

/** The name that an author gave a condition is not part of what it demands. */
function conditionKey(guard: Guard): string {
  return valueKey({ ...guard, name: '' })
}

function conditionName(guard: Guard): string {
  if (guard.kind === 'evidence') return `evidence of \`${guard.requirement.command}\``
  if (guard.kind === 'compare') return `\`${guard.name}\``
  return guard.expr.language === 'case' ? 'its condition' : `\`${guard.expr.text}\``
}

type GatePair = readonly [Gate | null, Gate | null]

function compareGates(notes: ChangeNotes, way: string, [before, after]: GatePair): void {
  if (before === null && after === null) return
  if (after === null) return notes.loosens(`${way} no longer needs an approval`)
  if (before === null) return notes.tightens(`${way} needs an approval`)
  const [old, now] = [before.quorum?.needed ?? 1, after.quorum?.needed ?? 1]
  if (now < old) notes.loosens(`${way} needs ${now} instead of ${old} people to approve`)
  if (now > old) notes.tightens(`${way} needs ${now} instead of ${old} people to approve`)
  if (valueKey(before.quorum?.from) !== valueKey(after.quorum?.from)) {
    notes.unclear(`${way} can be approved by other people`)
  }
  const [wasSigned, isSigned] = [before.proof === 'passkey', after.proof === 'passkey']
  if (isSigned && !wasSigned) notes.tightens(`${way} needs a signed approval`)
  if (wasSigned && !isSigned) notes.loosens(`${way} no longer needs a signed approval`)
  if (valueKey(before.editable) !== valueKey(after.editable)) {
    notes.unclear(`other values of ${way} can be changed by whoever approves`)
  }
  if (before.refusal !== after.refusal) {
    if (after.refusal === 'block') notes.tightens(`a refusal of ${way} blocks the run`)
    else notes.loosens(`a refusal of ${way} no longer blocks the run`)
  }
}
