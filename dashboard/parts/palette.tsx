/** The command palette: pages, approvals, runs and definitions by name; and the list of keys. */
import { type KeyboardEvent, useEffect, useMemo, useState } from 'react'
import { callApi } from '../data/api-client.ts'
import type { EarlyKeys } from '../data/early-keys.ts'
import { endLive, type LiveRunHead, live } from '../data/live-state.ts'
import { matchItems, type PaletteItem } from '../data/palette-items.ts'
import { linkTo } from '../data/route.ts'
import { signOut } from '../data/session.ts'
import { useApiQuery } from '../data/use-api-query.ts'
import { useValueStore } from '../data/value-store.ts'
import { titleOf } from './approval-summary.tsx'
import { Dialog } from './dialog.tsx'
import { shortIdOf } from './format-values.ts'
import { MessageText } from './message-text.tsx'
import { theme, turnTheme } from './theme.ts'

type Props = {
  readonly pages: readonly { readonly page: string; readonly name: string }[]
  /** What was typed before it was there. */
  readonly early: EarlyKeys
  readonly onClose: () => void
  readonly onKeys: () => void
}

/** The palette. */
export function Palette({ pages, early, onClose, onKeys }: Props) {
  const [text, setText] = useTyped(early)
  const [at, setAt] = useState(0)
  const items = useItems(pages, text, onKeys)
  const found = useMemo(() => matchItems(items, text), [items, text])
  const chosen = Math.min(at, found.length - 1)
  const open = (item: PaletteItem | undefined): void => {
    if (item === undefined) return
    onClose()
    if (item.href !== undefined) location.hash = item.href
    item.act?.()
  }
  const onKey = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined) setAt((chosen + by + found.length) % Math.max(1, found.length))
    else if (event.key === 'Enter') open(found[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog label="Go to" className="palette" onClose={onClose}>
      <input
        className="input"
        role="combobox"
        aria-label="Search pages, runs, definitions and approvals"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={chosen < 0 ? undefined : `palette-${chosen}`}
        placeholder="Search pages, runs, definitions, approvals"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <div id="palette-list" role="listbox" aria-label="Matches" className="palette-list">
        {found.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the search box
          <div
            key={item.key}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            className="palette-item"
            ref={
              index === chosen ? (element) => element?.scrollIntoView({ block: 'nearest' }) : null
            }
            onMouseMove={() => setAt(index)}
            onClick={() => open(item)}
          >
            <span className="palette-name cut">
              <MessageText text={item.name} />
            </span>
            <span className="small soft cut">
              <MessageText text={item.about} />
            </span>
            <span className="tiny soft palette-kind">{item.kind}</span>
          </div>
        ))}
      </div>
      {found.length === 0 ? <p className="soft palette-none">No matches.</p> : null}
    </Dialog>
  )
}

/** The text of the search, which begins with what was typed early. */
function useTyped(early: EarlyKeys) {
  const [text, setText] = useState('')
  // WHY an effect: that of the dialog comes before, so the next key finds the box focused.
  useEffect(() => {
    const first = early.take()
    setText((was) => first + was)
  }, [early])
  return [text, setText] as const
}

/** What there is to find, the most urgent first. */
function useItems(pages: Props['pages'], text: string, onKeys: () => void): readonly PaletteItem[] {
  const { approvals, heads } = useValueStore(live)
  const shade = useValueStore(theme)
  const { answer: definitions } = useApiQuery('definitions.list', { limit: 500 })
  const older = useOlderRuns(text)
  return useMemo(() => {
    const leave = async (): Promise<void> => {
      await signOut()
      endLive()
    }
    return [
      ...pages.map(({ page, name }) => pageItem(page, name)),
      action('New definition', { href: linkTo('definitions', 'new') }),
      action(shade === 'dark' ? 'Use light colours' : 'Use dark colours', { act: turnTheme }),
      action('Show the keys', { act: onKeys }),
      action('Sign out', { act: leave }),
      ...(approvals ?? []).map((one): PaletteItem => {
        const name = one.runTitle ?? titleOf(one)
        const about = one.runTitle === null ? '' : titleOf(one)
        return { key: one.id, kind: 'Approval', name, about, href: linkTo('approvals', one.id) }
      }),
      ...[...heads, ...older.filter((one) => heads.every((head) => head.id !== one.id))].map(
        runItem,
      ),
      ...(definitions?.items ?? []).map((one): PaletteItem => {
        const about = `${one.dialect}, version ${one.version}`
        const href = linkTo('definitions', one.id)
        return { key: one.id, kind: 'Definition', name: one.name, about, href }
      }),
    ]
  }, [pages, approvals, heads, older, definitions, shade, onKeys])
}

function pageItem(page: string, name: string): PaletteItem {
  return { key: `page ${page}`, kind: 'Page', name, about: '', href: linkTo(page) }
}

function runItem({ id, title, definition, stage, status }: LiveRunHead): PaletteItem {
  const about = `${title === null ? shortIdOf(id) : definition} · ${stage} · ${status}`
  return { key: id, kind: 'Run', name: title ?? definition, about, href: linkTo('runs', id) }
}

function action(name: string, way: Pick<PaletteItem, 'href' | 'act'>): PaletteItem {
  return { key: `action ${name}`, kind: 'Action', name, about: '', ...way }
}

const restMs = 150
const olderMax = 20
const noRuns: readonly LiveRunHead[] = []

/** Runs that the page does not hold, as the daemon finds them. */
function useOlderRuns(text: string): readonly LiveRunHead[] {
  const [found, setFound] = useState(noRuns)
  useEffect(() => {
    const q = text.trim().slice(0, 200)
    if (q === '') return
    const leaving = new AbortController()
    const timer = setTimeout(() => {
      callApi('runs.list', { q, limit: olderMax }, { signal: leaving.signal })
        .then(({ items }) => setFound(items))
        // What the page holds is searched all the same.
        .catch(() => undefined)
    }, restMs)
    return () => {
      clearTimeout(timer)
      leaving.abort()
    }
  }, [text])
  return found
}
