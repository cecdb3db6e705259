/**
 * Lists every policy in force: the organisation's, those of workspaces with runs, and those of
 * definitions, with the rules that can never match.
 */
import { shadowedRules } from '../../core/machine/check-shadowed-rules.ts'
import type { Policy, PolicyRule } from '../../core/machine/machine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { OperationAnswer } from './contract.ts'

type Listed = OperationAnswer<'policies.list'>['items'][number]
type Level = Listed['level']
type PolicyName = { readonly level: Level; readonly name: string }

/** Runs whose workspaces are looked at, and definitions. */
const looksMax = 500

/** All of them, the highest authority first. */
export async function listPolicies(runtime: Runtime): Promise<readonly Listed[]> {
  const query = { statuses: null, workspace: null, definition: null, after: null, limit: looksMax }
  const { items: heads } = await runtime.listRuns(query)
  const workspaces = [...new Set(heads.flatMap(({ workspace }) => workspace ?? []))]
  const organisation = readLaid(runtime, null, { level: 'organisation', name: 'organisation' })
  const rest = workspaces.flatMap((folder) =>
    readLaid(runtime, folder, { level: 'workspace', name: folder }),
  )
  return [...organisation, ...rest, ...(await readOwn(runtime))]
}

/** WHY without the organisation's: each is told once, under its own name. */
function readLaid(
  runtime: Runtime,
  workspace: string | null,
  named: PolicyName,
): readonly Listed[] {
  try {
    const above = workspace === null ? 0 : runtime.readPolicies(null).length
    const policies = runtime.readPolicies(workspace).slice(above)
    return policies.map((policy) => listed(policy, named))
  } catch (fault) {
    const problem = fault instanceof Error ? fault.message : 'the file cannot be read'
    return [{ ...named, role: '', otherwise: 'deny', rules: [], problem }]
  }
}

async function readOwn(runtime: Runtime): Promise<readonly Listed[]> {
  const { items } = await runtime.definitions.list({ after: null, limit: looksMax })
  const found: Listed[] = []
  for (const { name, latest } of items) {
    for (const hash of Object.values(latest.machines)) {
      const policy = (await runtime.readMachine(hash))?.policy ?? null
      if (policy !== null) found.push(listed(policy, { level: 'definition', name }))
    }
  }
  return found
}

/** As the numbers of the latest runs name it. */
function pointerOf({ source }: Policy, { origin: rule }: PolicyRule): string {
  return source === undefined ? rule : `${source.document}#${rule}`
}

function listed(policy: Policy, named: PolicyName): Listed {
  const shadows = new Map(shadowedRules(policy).map((one) => [one.pointer, one.message]))
  const show = (tier: 'deny' | 'ask' | 'allow') => (rule: PolicyRule) => ({
    tier,
    capability: rule.capability,
    rate: rule.rate,
    budget: rule.budget,
    pointer: pointerOf(policy, rule),
    shadowed: shadows.get(rule.origin) ?? null,
  })
  const rules = [
    ...policy.deny.map(show('deny')),
    ...policy.ask.map(show('ask')),
    ...policy.allow.map(show('allow')),
  ]
  return { ...named, role: policy.role, otherwise: policy.otherwise, rules, problem: null }
}
