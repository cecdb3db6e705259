/**
 * Policies: every rule with how often it decided, rules that can never match, and a form to test a
 * call.
 */
import type { OperationAnswer } from '../../src/doors/api/contract.ts'
import { linkTo } from '../data/route.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { Empty, PageHead, ProblemBox, Skeleton, TableBox, Time } from '../parts/basics.tsx'
import { wordsOnce } from '../parts/event-text.ts'
import { countOf, durationText, moneyText } from '../parts/format-values.ts'
import { JudgeForm } from '../parts/judge-form.tsx'
import { MessageText } from '../parts/message-text.tsx'

type Listed = OperationAnswer<'policies.list'>['items'][number]
type Rule = Listed['rules'][number]
type Stats = OperationAnswer<'stats.read'>

/** The page. */
export function PoliciesPage() {
  const { answer, problem } = useApiQuery('policies.list', {})
  const { answer: stats } = useApiQuery('stats.read', {})
  return (
    <>
      <PageHead
        title="Policies"
        about="Deny rules come first, then ask, then allow. The strictest policy wins."
      />
      <div className="stack wide">
        <JudgeForm />
        {problem === null ? null : <ProblemBox problem={problem} />}
        {answer === null ? (
          <Skeleton lines={6} />
        ) : answer.items.length === 0 ? (
          <section className="card">
            <Empty icon="policies" title="No policies">
              Add <code>policy.json</code> to Pawl's data directory or to <code>.pawl/</code> in a
              workspace, or add a policy to a definition.
            </Empty>
          </section>
        ) : (
          answer.items.map((one) => (
            <PolicyCard key={`${one.level} ${one.name}`} policy={one} stats={stats} />
          ))
        )}
        <StageRefusals stats={stats} />
      </div>
    </>
  )
}

const levelWords = {
  organisation: 'For every run',
  workspace: 'For runs in',
  definition: 'For runs of',
} as const

function PolicyCard({ policy, stats }: { readonly policy: Listed; readonly stats: Stats | null }) {
  const { level, name, rules, otherwise } = policy
  const hasLimits = rules.some((rule) => limitText(rule) !== '')
  return (
    <section className="card" aria-label={`Policy of ${name}`}>
      <header>
        <h2 className="grow wrap">
          <span className="soft">{levelWords[level]}</span> {level === 'organisation' ? '' : name}
        </h2>
        <span className={`badge ${otherwise === 'deny' ? 'bad' : 'good'}`}>
          default {otherwise}
        </span>
      </header>
      {policy.problem === null ? null : (
        <div className="body">
          <p className="problem">{policy.problem}</p>
        </div>
      )}
      <TableBox label="Rules">
        <table className="table">
          <thead>
            <tr>
              <th>Verdict</th>
              <th>Capability</th>
              {hasLimits ? <th>Limit</th> : null}
              <th className="num">Matched</th>
            </tr>
          </thead>
          <tbody>
            {rules.map((rule) => (
              <tr key={`${rule.tier} ${rule.pointer}`}>
                <td>
                  <span className={`badge ${tones[rule.tier]}`}>{rule.tier}</span>
                </td>
                <td>
                  <code>{rule.capability}</code>
                  {rule.shadowed === null ? null : (
                    <div className="small warn">never matches: {rule.shadowed}</div>
                  )}
                </td>
                {hasLimits ? <td className="small">{limitText(rule)}</td> : null}
                <td className="num">{countText(policy, rule, stats)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </section>
  )
}

const tones = { deny: 'bad', ask: 'warn', allow: 'good' } as const

function limitText({ rate, budget }: Rule): string {
  const texts = [
    ...(rate === null ? [] : [`${rate.callsMax} calls in ${durationText(rate.windowMs)}`]),
    ...(budget === null ? [] : [`${moneyText(budget.microUsdMax)} ${budget.period}`]),
  ]
  return texts.join(', ')
}

/**
 * WHY two ways: what is denied or asked is on record with its rule; what is allowed is on record
 * with its tool, so for a rule that allows it is told how many calls of its tools went through.
 */
function countText(policy: Listed, rule: Rule, stats: Stats | null): string {
  if (stats === null) return '…'
  if (rule.tier === 'allow') {
    const count = stats.tools
      .filter(({ tool }) => matches(rule.capability, tool))
      .reduce((sum, one) => sum + one.calls, 0)
    return countOf(count, 'call')
  }
  const mine = stats.rules.filter(
    (one) =>
      one.rule === rule.pointer &&
      (policy.level !== 'definition' || one.definition === policy.name),
  )
  const count = mine.reduce((sum, one) => sum + one.count, 0)
  return count === 1 ? 'once' : `${count} times`
}

function matches(capability: string, tool: string): boolean {
  const name = tool === 'Bash' ? 'bash' : tool.replace(/^mcp__(.+?)__/, 'mcp:$1:')
  return [tool, name].some((one) =>
    capability.endsWith('*') ? one.startsWith(capability.slice(0, -1)) : one === capability,
  )
}

/** The rule, where it is written. */
function RuleLink({ definition, rule }: Pick<Stats['rules'][number], 'definition' | 'rule'>) {
  const isWritten = rule?.startsWith('/') === true
  return (
    <span className="mono small soft wrap" style={{ display: 'block' }}>
      {isWritten ? (
        <a className="link" href={linkTo('definitions', definition, 'at', rule)}>
          {rule}
        </a>
      ) : (
        (rule ?? 'built into Pawl')
      )}
    </span>
  )
}

/** What the stages themselves deny: most of it never gets to a policy. */
function StageRefusals({ stats }: { readonly stats: Stats | null }) {
  const denials = stats?.rules.filter((one) => one.says === 'deny') ?? []
  if (denials.length === 0) return null
  return (
    <section className="card" aria-label="Denials by rule">
      <header>
        <h2 className="grow">Denials by rule</h2>
        <span className="soft small">in the latest {countOf(stats?.runsCount ?? 0, 'run')}</span>
      </header>
      <TableBox label="Denials">
        <table className="table">
          <thead>
            <tr>
              <th>Rule</th>
              <th>Latest</th>
              <th className="num">Calls</th>
            </tr>
          </thead>
          <tbody>
            {denials.map((one) => (
              <tr key={`${one.definition} ${one.rule} ${one.code}`}>
                <td>
                  {one.definition}
                  <RuleLink definition={one.definition} rule={one.rule} />
                  <code className="small bad">{one.code}</code>
                </td>
                <td>
                  <LatestDenial {...one.last} />
                </td>
                <td className="num">{one.count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </section>
  )
}

/** What was denied last, and why; it leads to the call. */
function LatestDenial({ runId, seq, at }: Stats['rules'][number]['last']) {
  const { answer } = useApiQuery('runs.events', { runId, after: seq - 1, limit: 1 })
  const record = answer?.items[0]
  const words = record === undefined ? null : wordsOnce(record)
  return (
    <>
      <a className="link wrap" href={linkTo('runs', runId, 'at', String(seq))}>
        {words === null ? runId : `${words.title} ${words.about}`}
      </a>{' '}
      <Time at={at} size="short" />
      {words?.why === undefined ? null : (
        <span className="small soft wrap" style={{ display: 'block' }}>
          <MessageText text={words.why.reason} />
        </span>
      )}
    </>
  )
}
