/** Compares the rules of two versions that hold for the whole run, whatever its stage. */
import { isolationLevels } from './isolation-levels.ts'
import type { Machine, MailRule, Policy, PolicyRule } from './machine.ts'
import {
  type ChangeNotes,
  compareLimit,
  listDifference,
  namesText,
  valueKey,
} from './permission-change.ts'

type MachinePair = { readonly before: Machine; readonly after: Machine }

/** Notes every difference. */
export function compareRunRules(notes: ChangeNotes, { before, after }: MachinePair): void {
  if (before.initial !== after.initial) notes.unclear(`runs begin in \`${after.initial}\``)
  compareLimit(
    notes,
    { what: 'calls of a run', before: before.limits.callsMax },
    after.limits.callsMax,
  )
  const [usd, usdNow] = [before.limits.microUsdMax, after.limits.microUsdMax]
  compareLimit(
    notes,
    { what: 'the cost of a run in dollars', before: usd === null ? null : usd / 1e6 },
    usdNow === null ? null : usdNow / 1e6,
  )
  for (const kind of ['read', 'write'] as const) {
    const { added, removed } = listDifference({
      before: before.paths[kind],
      after: after.paths[kind],
    })
    if (added.length > 0) notes.loosens(`file tools may ${kind} ${namesText(added)}`)
    if (removed.length > 0) notes.tightens(`file tools may no longer ${kind} ${namesText(removed)}`)
  }
  const own = listDifference({ before: before.ownTools, after: after.ownTools })
  if (own.added.length > 0) notes.loosens(`permits ${namesText(own.added)} in every stage`)
  if (own.removed.length > 0) notes.tightens(`no longer permits ${namesText(own.removed)}`)
  if (valueKey([before.vars, before.start]) !== valueKey([after.vars, after.start])) {
    notes.unclear('runs begin with other values')
  }
  compareMail(notes, before.mail, after.mail)
  compareFloors(notes, [before, after])
  compareSwitches(notes, { before, after })
  comparePolicies(notes, before.policy, after.policy)
  compareDetours(notes, { before, after })
}

type Floors = Pick<Machine, 'minIsolation' | 'proof'>

/** The least isolation of jobs and the least proof of decisions, of a definition or its policy. */
function compareFloors(
  notes: ChangeNotes,
  [before, after]: readonly [Floors, Floors],
  by = '',
): void {
  const rank = ({ minIsolation: level }: Floors): number =>
    level === undefined ? isolationLevels.length : isolationLevels.indexOf(level)
  if (rank(after) > rank(before)) notes.loosens(`jobs may be isolated less${by}`)
  if (rank(after) < rank(before)) notes.tightens(`jobs have to be isolated more${by}`)
  const [wasSigned, isSigned] = [before.proof === 'passkey', after.proof === 'passkey']
  if (isSigned && !wasSigned) notes.tightens(`decisions have to be signed${by}`)
  if (wasSigned && !isSigned) notes.loosens(`decisions no longer have to be signed${by}`)
}

function compareSwitches(notes: ChangeNotes, { before, after }: MachinePair): void {
  if (!before.hasDebug && after.hasDebug) notes.loosens('the agent may force its run to any stage')
  if (before.hasDebug && !after.hasDebug) notes.tightens('the agent may no longer force its run')
  if (before.holdsAtEnd && !after.holdsAtEnd) notes.loosens('calls are free after the end of a run')
  if (!before.holdsAtEnd && after.holdsAtEnd)
    notes.tightens('calls are denied after the end of a run')
}

type Mail = MailRule | null

function compareMail(notes: ChangeNotes, before: Mail, after: Mail): void {
  if (before === null && after === null) return
  if (after === null) return notes.loosens('the rules on mail are removed')
  if (before === null) return notes.tightens('there are rules on mail')
  compareLimit(notes, { what: 'mails', before: before.mailsMax }, after.mailsMax)
  for (const kind of ['from', 'to'] as const) {
    const [old, now] = [before[kind], after[kind]]
    if (old === null && now === null) continue
    if (now === null) notes.loosens(`mail ${kind} any address is permitted`)
    else if (old === null) notes.tightens(`mail is limited ${kind} some addresses`)
    else {
      const { added, removed } = listDifference({ before: old, after: now })
      if (added.length > 0) notes.loosens(`mail ${kind} ${namesText(added)} is permitted`)
      if (removed.length > 0) notes.tightens(`mail ${kind} ${namesText(removed)} is not permitted`)
    }
  }
}

function compareDetours(notes: ChangeNotes, { before, after }: MachinePair): void {
  const keys = ({ detours }: Machine) =>
    new Map(detours.map(({ name, pattern, target }) => [valueKey([pattern, target]), name]))
  const [old, now] = [keys(before), keys(after)]
  for (const [key, name] of old) {
    if (!now.has(key)) notes.loosens(`the interrupt \`${name}\` is removed or changed`)
  }
  for (const [key, name] of now) {
    // It may lead to a stage that permits more.
    if (!old.has(key)) notes.unclear(`the interrupt \`${name}\` is new`)
  }
}

const tierWords = { deny: 'denies', ask: 'asks about', allow: 'allows' } as const

function comparePolicies(notes: ChangeNotes, before: Policy | null, after: Policy | null): void {
  if (before === null && after === null) return
  if (after === null) return notes.loosens('the policy is removed')
  if (before === null) {
    if (after.observe === undefined) notes.tightens('there is a policy')
    else notes.unclear('there is a policy, which is recorded and not enforced')
    return
  }
  if (before.otherwise !== after.otherwise) {
    const verb = after.otherwise === 'allow' ? 'allows' : 'denies'
    const text = `the policy ${verb} what it does not name`
    if (after.otherwise === 'allow') notes.loosens(text)
    else notes.tightens(text)
  }
  if (before.observe !== after.observe) {
    if (after.observe === undefined) notes.tightens('the policy is enforced')
    else notes.loosens('the policy is recorded, not enforced')
  }
  compareFloors(notes, [before, after], ', by the policy')
  if (valueKey(before.repeats) !== valueKey(after.repeats)) {
    notes.unclear('the policy limits repeated failures differently')
  }
  for (const tier of ['deny', 'ask', 'allow'] as const) {
    compareTier(notes, tier, [before[tier], after[tier]])
  }
}

type TierPair = readonly [readonly PolicyRule[], readonly PolicyRule[]]

function compareTier(notes: ChangeNotes, tier: keyof typeof tierWords, [old, now]: TierPair): void {
  const [before, after] = [old, now].map(
    (rules) => new Map(rules.map((one) => [valueKey(one), one.capability])),
  ) as [Map<string, string>, Map<string, string>]
  const gone = [...before].filter(([key]) => !after.has(key)).map(([, name]) => name)
  const fresh = [...after].filter(([key]) => !before.has(key)).map(([, name]) => name)
  const changed = gone.filter((name) => fresh.includes(name))
  const dropped = gone.filter((name) => !fresh.includes(name))
  const added = fresh.filter((name) => !gone.includes(name))
  const verb = tierWords[tier]
  const [wider, narrower] = tier === 'allow' ? [added, dropped] : [dropped, added]
  const no = tier === 'allow' ? '' : 'no longer '
  if (wider.length > 0) notes.loosens(`the policy ${no}${verb} ${namesText(wider)}`)
  const not = tier === 'allow' ? 'no longer ' : ''
  if (narrower.length > 0) notes.tightens(`the policy ${not}${verb} ${namesText(narrower)}`)
  if (changed.length > 0) notes.unclear(`the policy ${verb} ${namesText(changed)} differently`)
}
