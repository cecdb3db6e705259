/** A diff of two versions of a definition, or of a version and the text in the editor. */
import { useState } from 'react'
import { useApiQuery } from '../data/use-api-query.ts'
import { ProblemBox, Skeleton, Time } from '../parts/basics.tsx'
import { Diff } from '../parts/call-detail.tsx'
import { permissionChanges } from './permission-changes.ts'
import { PermissionList } from './permission-list.tsx'

/** The pane. */
export function ComparePanel({ id, text }: { readonly id: string; readonly text: string }) {
  const { answer, problem } = useApiQuery('definitions.versions', { id })
  const [from, setFrom] = useState<number | null>(null)
  const [to, setTo] = useState<number | 'text'>('text')
  if (problem !== null) return <ProblemBox problem={problem} />
  if (answer === null) return <Skeleton lines={6} />
  const versions = answer.items.toSorted((a, b) => b.version - a.version)
  const left = versions.find((one) => one.version === (from ?? versions[0]?.version))
  const right = to === 'text' ? text : (versions.find((one) => one.version === to)?.source ?? '')
  const changes = permissionChanges(left?.source ?? '', right)
  return (
    <div className="stack">
      <div className="row flow">
        <label className="row">
          <span className="soft">From</span>
          <select
            className="input"
            value={left?.version}
            onChange={(event) => setFrom(Number(event.target.value))}
          >
            {versions.map((one) => (
              <option key={one.version} value={one.version}>
                version {one.version}
              </option>
            ))}
          </select>
        </label>
        <label className="row">
          <span className="soft">to</span>
          <select
            className="input"
            value={to}
            onChange={(event) =>
              setTo(event.target.value === 'text' ? 'text' : Number(event.target.value))
            }
          >
            <option value="text">the text in the editor</option>
            {versions.map((one) => (
              <option key={one.version} value={one.version}>
                version {one.version}
              </option>
            ))}
          </select>
        </label>
        {left === undefined ? null : (
          <span className="soft small">
            version {left.version} was published <Time at={Date.parse(left.createdAt)} />
          </span>
        )}
      </div>
      {changes.length === 0 ? null : <PermissionList changes={changes} />}
      <div className="card">
        {left?.source === right ? (
          <p className="soft" style={{ padding: 16 }}>
            Both are the same.
          </p>
        ) : (
          <Diff before={left?.source ?? ''} after={right} name="definition.yaml" />
        )}
      </div>
    </div>
  )
}
