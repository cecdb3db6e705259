/**
 * The rows of a form about a list: one for each entry, with the button to remove it, one for a new
 * entry, and the choice among names.
 */
import type { FormEvent, ReactNode } from 'react'

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

type AddProps = {
  /** What is added, in small letters: `guard`. */
  readonly what: string
  /** What is named, if that is something else: the signal of a route. */
  readonly named?: string
  /** How the field of the name is called for those who do not see where it is. */
  readonly label?: string
  /** Another field: its label, and an example or a hint. */
  readonly subject?: { readonly label: string; readonly placeholder: string }
  /** It goes by what else is chosen. */
  readonly isNameless?: boolean
  readonly onAdd: (name: string, subject: string) => void
  readonly children?: ReactNode
}

/** The form for one more entry. It gives both texts, trimmed, and empties itself. */
export function AddForm(props: AddProps) {
  const { what, named = what, subject, isNameless, onAdd, children } = props
  const add = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const [name = '', about = ''] = ['name', 'subject'].map((key) =>
      String(form.get(key) ?? '').trim(),
    )
    onAdd(name, about)
    event.currentTarget.reset()
  }
  const usual = { className: 'input mono', autoComplete: 'off', required: true }
  const called = `New ${named}`
  return (
    <form className="route-row" onSubmit={add}>
      {isNameless === true ? null : (
        <input name="name" aria-label={props.label ?? called} placeholder={called} {...usual} />
      )}
      {subject === undefined ? null : (
        <input
          name="subject"
          aria-label={subject.label}
          placeholder={subject.placeholder}
          {...usual}
        />
      )}
      {children}
      <button type="submit" className="button">
        Add {what}
      </button>
    </form>
  )
}

type OptionSelectProps<T> = {
  readonly label: string
  readonly options: readonly T[]
  readonly value: T
  readonly textOf: (option: T) => string
  readonly onChoice: (option: T) => void
}

/** One of several values, each known by its text. */
export function OptionSelect<T>({ label, options, value, textOf, onChoice }: OptionSelectProps<T>) {
  const texts = options.map(textOf)
  return (
    <select
      className="input"
      aria-label={label}
      value={textOf(value)}
      onChange={(event) => onChoice(options[texts.indexOf(event.target.value)] as T)}
    >
      {texts.map((text) => (
        <option key={text}>{text}</option>
      ))}
    </select>
  )
}
