/**
 * Writes a walk as a case file. Knows files. Overwrites only what it is told to, or wrote itself.
 */
import { writeFileSync } from 'node:fs'
import { basename, dirname, extname, resolve } from 'node:path'
import type { JsonObject } from '../../../core/json.ts'
import { plainValue } from '../../../core/source/source.ts'
import { errorCodeOf } from '../../../runtime/error-code.ts'
import { lastMoment, type Walk } from '../../../testing/walk.ts'
import { shownPath } from '../find-inputs.ts'
import type { LaidPolicy } from '../judge/load-policies.ts'
import type { Chosen } from './load.ts'
import { caseId, caseOfWalk } from './save-case.ts'
import type { Saved, Session } from './session.ts'

type SaveContext = {
  /** Files are named from here. */
  readonly cwd: string
  readonly laid: readonly LaidPolicy[]
}

/** The way a session saves. */
export function saverFor(chosen: Chosen, { cwd, laid }: SaveContext): Session['save'] {
  const written = new Set<string>()
  const [policy, ...others] = laid
  return (walk, file, existing) => {
    const path = resolve(cwd, file)
    const shown = shownPath(path, cwd)
    if (others.length > 0) return tooManyPolicies
    const mayReplace = existing === 'replace' || written.has(path)
    const content = `${JSON.stringify(caseWith(policy, caseIn(walk, path, chosen)), null, 2)}\n`
    const saved = write(path, content, mayReplace ? 'w' : 'wx')
    if (saved === null) {
      written.add(path)
      return { ok: true, path: shown }
    }
    return failure(saved, shown)
  }
}

const tooManyPolicies: Saved = {
  ok: false,
  message: 'a case can have only one policy, and this session has several',
  hint: 'play again with one `--policy`',
}

function caseWith(laid: LaidPolicy | undefined, one: JsonObject): JsonObject {
  const root = laid?.file.root ?? null
  return root === null ? one : { ...one, policy: plainValue(root) }
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
    return errorCodeOf(cause)
  }
}

function failure(code: string, shown: string): Saved {
  if (code === 'EEXIST') {
    const hint = `\`save! ${shown}\` overwrites it`
    return { ok: false, message: `\`${shown}\` already exists`, hint }
  }
  const hint = code === 'ENOENT' ? 'the folder does not exist' : `system error ${code}`
  return { ok: false, message: `\`${shown}\` cannot be written`, hint }
}
