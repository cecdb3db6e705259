/**
 * Which run judges a call that goes through a gateway.
 * Knows marks, folders and open runs. Must not know what the call is.
 */
import { isNear, realFolder } from './folders.ts'
import type { Whose } from './gateway.ts'
import type { Marks } from './marks.ts'
import type { OpenRuns } from './open-runs.ts'
import type { Store } from './ports.ts'

export type PlaceDesk = {
  readonly store: Pick<Store, 'readHead'>
  readonly marks: Pick<Marks, 'isProven'>
  /** Ids of the open runs of a folder, above it and below it, as far as two of them. */
  readonly openRuns: OpenRuns
}

export type Place = { readonly runId: string; readonly branch: string | null }

/** The run that judges a call; null: none does. */
export async function placeOf(desk: PlaceDesk, whose: Whose): Promise<Place | Unclear | null> {
  const { mark, last } = whose
  const workspace = realFolder(whose.workspace)
  const proven = mark !== null && desk.marks.isProven(mark) ? mark : null
  // What the environment names was said by whoever started the host: no call says otherwise.
  if (whose.runId !== null) {
    const { runId } = whose
    return { runId, branch: proven?.run === runId ? proven.branch : null }
  }
  if (proven !== null && proven.run !== null) {
    const { run: runId, branch } = proven
    const head = await desk.store.readHead(runId)
    // WHY: a mark can be read in the transcript of a session and shown in another folder.
    const where = head?.workspace ?? null
    return where !== null && isNear(where, workspace) ? { runId, branch } : markElsewhere
  }
  const [only, second] = await desk.openRuns(workspace)
  if (second !== undefined) return severalOpen
  // WHY the last one: who could end its run would choose what it is held by.
  const runId = only ?? last
  return runId === null ? null : { runId, branch: null }
}

/** It cannot be told which run judges. */
export type Unclear = {
  readonly code: 'REQUEST_INVALID'
  readonly reason: string
  readonly hint: string
}

export function isUnclear(place: Place | Unclear | null): place is Unclear {
  return place !== null && 'code' in place
}

const severalOpen: Unclear = {
  code: 'REQUEST_INVALID',
  reason:
    'several runs are open in this folder, above it or below it, and it cannot be told which ' +
    'one judges this call',
  hint: 'a person names one with PAWL_RUN, or ends the others with `pawl cancel RUN`',
}

const markElsewhere: Unclear = {
  code: 'REQUEST_INVALID',
  reason: 'the hook names a run of another folder than the one that the gateway works for',
  hint: 'a person names the run with PAWL_RUN, or the folder with `pawl gateway --workspace`',
}
