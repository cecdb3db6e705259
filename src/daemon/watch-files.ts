/**
 * Hears at once when one of some files changes, through the notifications of the system (inotify
 * on Linux). They may be missing or incomplete, so whoever must know still looks now and then.
 * Knows paths. Must not know what is in the files.
 */
import { type FSWatcher, watch } from 'node:fs'
import { basename, dirname } from 'node:path'

export type FileWatch = {
  /** From now on these files are watched, and no others. */
  readonly set: (paths: readonly string[]) => void
  readonly close: () => void
}

/** Folders that are watched at once: the system has few. */
const foldersMax = 200
/** How long changes are gathered: an editor writes a file in several steps. */
const gatherMs = 20

export function openFileWatch(onChange: () => void): FileWatch {
  const folders = new Map<string, { readonly watcher: FSWatcher; names: ReadonlySet<string> }>()
  let timer: NodeJS.Timeout | null = null
  const gather = (): void => {
    timer ??= setTimeout(() => {
      timer = null
      onChange()
    }, gatherMs).unref()
  }
  const drop = (folder: string): void => {
    folders.get(folder)?.watcher.close()
    folders.delete(folder)
  }
  const add = (folder: string, names: ReadonlySet<string>): void => {
    try {
      // WHY the folder: a file that is replaced by another one is watched no longer.
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || folders.get(folder)?.names.has(name)) gather()
      })
      watcher.on('error', () => drop(folder))
      folders.set(folder, { watcher, names })
    } catch {
      // There is no such folder, or the system has no room: the next look tries again.
    }
  }
  return {
    set: (paths) => {
      const wanted = new Map<string, Set<string>>()
      for (const path of paths) {
        const names = wanted.get(dirname(path)) ?? new Set()
        wanted.set(dirname(path), names.add(basename(path)))
      }
      for (const folder of [...folders.keys()]) if (!wanted.has(folder)) drop(folder)
      for (const [folder, names] of [...wanted].slice(0, foldersMax)) {
        const known = folders.get(folder)
        if (known === undefined) add(folder, names)
        else known.names = names
      }
    },
    close: () => {
      if (timer !== null) clearTimeout(timer)
      for (const folder of [...folders.keys()]) drop(folder)
    },
  }
}
