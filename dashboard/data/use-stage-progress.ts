/** How far runs are, from the graphs of their machines. */
import { useEffect, useState } from 'react'
import { type StageProgress, stageProgress } from '../../src/core/machine/stage-progress.ts'
import type { LiveRunHead } from './live-state.ts'
import { readMachine } from './machine-cache.ts'

type ProgressMap = ReadonlyMap<string, StageProgress>

const known = new Map<string, ProgressMap>()
/** Machines of which it is kept; a list shows few. */
const knownMax = 200

/** Null: it has ended, or that is not known. */
export function useStageProgress(head: LiveRunHead): StageProgress | null {
  const { machine: hash, stage, endedAt } = head
  const isOpen = endedAt === null
  const [progress, setProgress] = useState<ProgressMap | null>(known.get(hash) ?? null)
  useEffect(() => {
    setProgress(known.get(hash) ?? null)
    if (!isOpen || known.has(hash)) return
    let isCurrent = true
    readMachine(hash)
      .then((machine) => {
        const found = known.get(hash) ?? stageProgress(machine)
        if (known.size >= knownMax) known.clear()
        known.set(hash, found)
        if (isCurrent) setProgress(found)
      })
      .catch(() => undefined)
    return () => {
      isCurrent = false
    }
  }, [hash, isOpen])
  return isOpen ? (progress?.get(stage) ?? null) : null
}
