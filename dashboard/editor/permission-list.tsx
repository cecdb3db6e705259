/** Changes of permissions, what loosens first; and the question before they are published. */
import type { PermissionChange } from '../../src/core/machine/permission-change.ts'
import { Dialog } from '../parts/dialog.tsx'
import { MessageText } from '../parts/message-text.tsx'

const tones = { loosens: 'bad', unclear: 'warn', tightens: 'good' } as const
const words = { loosens: 'loosens', unclear: 'may loosen', tightens: 'tightens' } as const

/** The list. */
export function PermissionList({ changes }: { readonly changes: readonly PermissionChange[] }) {
  return (
    <ul className="card list permission-list" aria-label="Changed permissions">
      {changes.map(({ effect, stage, text }) => (
        <li key={`${effect} ${stage} ${text}`}>
          <span className={`badge ${tones[effect]}`}>{words[effect]}</span>
          <span className="wrap">
            <strong>{stage ?? 'every stage'}</strong> <MessageText text={text} />
          </span>
        </li>
      ))}
    </ul>
  )
}

type DialogProps = {
  readonly version: number
  readonly changes: readonly PermissionChange[]
  readonly onPublish: () => void
  readonly onClose: () => void
}

/** Asks whether what loosens is meant. */
export function PublishDialog({ version, changes, onPublish, onClose }: DialogProps) {
  const isLooser = changes.some(({ effect }) => effect === 'loosens')
  return (
    <Dialog label="Publish" className="publish" onClose={onClose}>
      <h2>
        {isLooser
          ? 'This version permits more than the one in force'
          : 'This version may permit more than the one in force'}
      </h2>
      <p className="soft">Compared with version {version}. Open runs keep their version.</p>
      <PermissionList changes={changes} />
      <div className="row dialog-acts">
        {/* biome-ignore lint/a11y/noAutofocus: the safe answer has the focus */}
        <button type="button" className="button" onClick={onClose} autoFocus>
          Keep editing
        </button>
        <button type="button" className="button danger" onClick={onPublish}>
          Publish anyway
        </button>
      </div>
    </Dialog>
  )
}
