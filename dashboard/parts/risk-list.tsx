/** What is risky about a call, in words. */
import type { ShownRisk } from './command-text.tsx'
import { MessageText } from './message-text.tsx'

const riskNames: Readonly<Record<ShownRisk['kind'], string>> = {
  'unseen-code': 'unseen code',
  deletion: 'deletes',
  force: 'forces',
  publishing: 'publishes',
  credentials: 'secrets',
  outside: 'outside',
  'other-user': 'other user',
  unreadable: 'unreadable',
}

/** The kinds, each once, for lists. */
export function RiskBadges({ risks }: { readonly risks: readonly ShownRisk[] }) {
  const kinds = [...new Set(risks.map((one) => one.kind))]
  return kinds.map((kind) => (
    <span key={kind} className="badge bad">
      {riskNames[kind]}
    </span>
  ))
}

/** One line for each risk. */
export function RiskList({ risks }: { readonly risks: readonly ShownRisk[] }) {
  if (risks.length === 0) return null
  return (
    <section className="risk-list" aria-label="Risks">
      <ul>
        {risks.map(({ kind, why, text, begin }) => (
          <li key={`${kind} ${begin} ${text}`} className="risk-line">
            <span className="badge bad">{riskNames[kind]}</span>
            <span className="wrap">
              <MessageText text={why} />
              {begin === null ? null : (
                <>
                  {': '}
                  <code>{text}</code>
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
