/** Every key of the page, in a dialog. */
import { Dialog } from './dialog.tsx'

const groups: readonly (readonly [
  title: string,
  keys: readonly (readonly [keys: string, what: string])[],
])[] = [
  [
    'Everywhere',
    [
      ['Ctrl K', 'go to a page, run, definition or approval'],
      ['?', 'show this list'],
      ['G H', 'Home'],
      ['G R', 'Runs'],
      ['G D', 'Definitions'],
    ],
  ],
  [
    'Home',
    [
      ['J K', 'next and previous approval'],
      ['Enter', 'open it'],
    ],
  ],
  [
    'An approval',
    [
      ['A Enter', 'approve'],
      ['R', 'write a reason'],
      ['Ctrl Enter', 'refuse, from the reason'],
      ['J K', 'next and previous approval'],
    ],
  ],
  [
    'A run',
    [
      ['↓ ↑', 'next and previous event of the timeline'],
      ['Esc', 'leave the full screen of the graph'],
    ],
  ],
]

/** The dialog. */
export function KeyList({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog label="Keys" className="key-list" onClose={onClose}>
      <div className="row">
        <h2 className="grow">Keys</h2>
        {/* biome-ignore lint/a11y/noAutofocus: a dialog takes the focus */}
        <button type="button" className="button" onClick={onClose} autoFocus>
          Close
        </button>
      </div>
      {groups.map(([title, keys]) => (
        <section key={title} className="stack">
          <h3>{title}</h3>
          <dl className="facts">
            {keys.map(([name, what]) => (
              <div key={name} style={{ display: 'contents' }}>
                <dt>
                  {name.split(' ').map((one) => (
                    <kbd key={one} className="kbd">
                      {one}
                    </kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
