/**
 * Connections of a job that were blocked: counted, and stored in its folder, so that the next
 * daemon continues counting.
 */
import { join } from 'node:path'
import { readJsonFile, writeWhole } from './job-files.ts'

export type BlockedConnections = {
  count: number
  /** How often each of the first few places was asked for. */
  readonly places: Map<string, number>
  /** Why there is no way out at all; null: there is one, or none is wanted. */
  fault: string | null
}

const fileName = 'refused.json'
const placesMax = 10
const placeCharsMax = 300

export function readBlocked(folder: string): BlockedConnections {
  const kept = readJsonFile<{ count: number; places: [string, number][] }>(join(folder, fileName))
  return { count: kept?.count ?? 0, places: new Map(kept?.places ?? []), fault: null }
}

export function keepBlocked(folder: string, { count, places }: BlockedConnections): void {
  if (count > 0) {
    writeWhole(join(folder, fileName), `${JSON.stringify({ count, places: [...places] })}\n`)
  }
}

/** `place` is what the job wrote: nothing of it may look like more than one line. */
export function countBlocked(refusals: BlockedConnections, place: string): void {
  refusals.count += 1
  const text = place.replace(/[^\x20-\x7e]/g, '?').slice(0, placeCharsMax)
  const known = refusals.places.get(text)
  if (known !== undefined || refusals.places.size < placesMax) {
    refusals.places.set(text, (known ?? 0) + 1)
  }
}

/** Places that were refused since this was asked last. */
export function openRefusedNews({ places }: BlockedConnections): () => readonly string[] {
  let told = new Map(places)
  return () => {
    const news = [...places].filter(([place, times]) => told.get(place) !== times)
    told = new Map(places)
    return news.map(([place]) => place)
  }
}

export function blockedWarnings({ count, places, fault }: BlockedConnections): readonly string[] {
  const list = [...places].map(([place, times]) => (times === 1 ? place : `${place} (${times}×)`))
  return [
    ...(fault === null
      ? []
      : [`the job has no network: its egress proxy could not be opened: ${fault}`]),
    ...(count === 0
      ? []
      : [
          `${count} connection${count === 1 ? ' was' : 's were'} refused: ${list.join(', ')}; ` +
            'a person can allow hosts with `jobs.network` in `config.json`',
        ]),
  ]
}
