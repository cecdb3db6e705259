/** A row of a form about one entry of a list: its name, its fields, and the button to remove it. */
import type { ReactNode } from 'react'

type RemoveProps = {
  /** What is removed: `guard ready`. */
  readonly what: string
  readonly isDisabled?: boolean
  readonly onRemove: () => void
}

/** The button; it says what it removes to those who do not see the row. */
export function RemoveButton({ what, isDisabled = false, onRemove }: RemoveProps) {
  return (
    <button
      type="button"
      className="button"
      aria-label={`Remove ${what}`}
      title={`Remove ${what}`}
      disabled={isDisabled}
      onClick={onRemove}
    >
      ×
    </button>
  )
}

type RowProps = {
  readonly name: string
  readonly onRemove: () => void
  readonly children: ReactNode
}

/** A row that is headed by its name. */
export function NamedRow({ name, onRemove, children }: RowProps) {
  return (
    <div className="route-row">
      <strong className="mono cut" title={name}>
        {name}
      </strong>
      {children}
      <RemoveButton what={name} onRemove={onRemove} />
    </div>
  )
}
