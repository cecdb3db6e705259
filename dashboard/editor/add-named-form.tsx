/** The form for one more entry in a list of named things: its name, and what it is about. */
import type { FormEvent } from 'react'

type Props = {
  /** What is added, in small letters: `guard`. */
  readonly what: string
  /** The second field: its label, and an example or a hint. */
  readonly subject: { readonly label: string; readonly placeholder: string }
  readonly onAdd: (name: string, subject: string) => void
}

/** Gives both texts, trimmed, and empties itself. */
export function AddNamedForm({ what, subject, onAdd }: Props) {
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
  return (
    <form className="route-row" onSubmit={add}>
      <input name="name" aria-label={`New ${what}`} placeholder={`New ${what}`} {...usual} />
      <input
        name="subject"
        aria-label={subject.label}
        placeholder={subject.placeholder}
        {...usual}
      />
      <button type="submit" className="button">
        Add {what}
      </button>
    </form>
  )
}
