/** Filters of runs that somebody has saved, in this browser. */
import { useState } from 'react'

export type RunFilter = {
  readonly text: string
  readonly status: string | null
  readonly isBoard: boolean
}

const storageKey = 'pawl.run-filters'
const filtersMax = 12

type Props = {
  readonly filter: RunFilter
  readonly onChoose: (filter: RunFilter) => void
}

/** A button for each, and one that saves the filter at hand. */
export function SavedFilters({ filter, onChoose }: Props) {
  const [saved, setSaved] = useState(readFilters)
  const save = (filters: readonly RunFilter[]): void => {
    const kept = filters.slice(-filtersMax)
    localStorage.setItem(storageKey, JSON.stringify(kept))
    setSaved(kept)
  }
  const name = filterName(filter)
  const isSaved = saved.some((one) => filterName(one) === name)
  if (saved.length === 0 && name === '') return null
  return (
    <fieldset className="chips saved-filters">
      <legend className="hidden-text">Saved filters</legend>
      {saved.map((one) => (
        <span key={filterName(one)} className="chip-pair">
          <button
            type="button"
            className="chip"
            aria-pressed={filterName(one) === name}
            onClick={() => onChoose(filterName(one) === name ? noFilter : one)}
          >
            {filterName(one)}
          </button>
          <button
            type="button"
            className="chip"
            aria-label={`Delete the filter ${filterName(one)}`}
            onClick={() => save(saved.filter((other) => other !== one))}
          >
            ×
          </button>
        </span>
      ))}
      {name === '' || isSaved ? null : (
        <button type="button" className="chip save" onClick={() => save([...saved, filter])}>
          Save this filter
        </button>
      )}
    </fieldset>
  )
}

const noFilter: RunFilter = { text: '', status: null, isBoard: false }

/** What it shows, in words; empty: everything. */
function filterName({ text, status, isBoard }: RunFilter): string {
  return [status, text.trim(), isBoard ? 'board' : null].filter(Boolean).join(' · ')
}

function readFilters(): readonly RunFilter[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(value) ? value.filter(isFilter).slice(-filtersMax) : []
  } catch {
    // Not ours, or not readable: there are none.
    return []
  }
}

function isFilter(value: unknown): value is RunFilter {
  const { text, status, isBoard } = (value ?? {}) as Partial<RunFilter>
  const hasStatus = status === null || typeof status === 'string'
  return typeof text === 'string' && hasStatus && typeof isBoard === 'boolean'
}
