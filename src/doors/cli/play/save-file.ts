/**
 * Writes a walk as a case file. Knows files. Overwrites only what it is told to, or wrote itself.
 */
import { writeFileSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import { codeOf } from '../../../runtime/read-definition.ts'
import { shownPath } from '../inputs.ts'
import type { Chosen } from './load.ts'
import { caseId, caseOfWalk } from './save-case.ts'
import type { Saved, Session } from './session.ts'
import { lastMoment, type Walk } from './walk.ts'

/** The way a session saves: files are named from `cwd`. */
export function saverFor(chosen: Chosen, cwd: string): Session['save'] {
  const written = new Set<string>()
  return (walk, file, existing) => {
    const path = resolve(cwd, file)
    const shown = shownPath(path, cwd)
    const mayReplace = existing === 'replace' || written.has(path)
    const content = `${JSON.stringify(caseIn(walk, path, chosen), null, 2)}\n`
    const saved = write(path, content, mayReplace ? 'w' : 'wx')
    if (saved === null) {
      written.add(path)
      return { ok: true, path: shown }
    }
    return failure(saved, shown)
  }
}

function caseIn(walk: Walk, path: string, chosen: Chosen): ReturnType<typeof caseOfWalk> {
  const id = caseId(basename(path, extname(path)).replace(/\.cases?$/, ''))
  const { view } = lastMoment(walk)
  const verb = view.status === 'running' ? 'stands' : `is ${view.status}`
  const title = `a walk through ${chosen.machine.name} ${verb} in ${view.stage}`
  return caseOfWalk(walk, { id, title }, chosen.originFor(dirname(path)))
}

/** Null when it was written; else the system's word for why not. */
function write(path: string, content: string, flag: 'w' | 'wx'): string | null {
  try {
    writeFileSync(path, content, { flag })
    return null
  } catch (cause) {
    return codeOf(cause)
  }
}

function failure(code: string, shown: string): Saved {
  if (code === 'EEXIST') {
    const hint = `\`save! ${shown}\` overwrites it`
    return { ok: false, message: `\`${shown}\` is there already`, hint }
  }
  const hint = code === 'ENOENT' ? 'the folder has to be there' : `the system says ${code}`
  return { ok: false, message: `\`${shown}\` can not be written`, hint }
}
