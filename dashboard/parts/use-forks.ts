/** Which forks of a large graph are open: those that a person opened, and where the run is. */
import { useMemo, useState } from 'react'
import type { Picture } from '../../src/core/draw/picture.ts'
import { collapseForks, forksInPicture } from './collapse-forks.ts'
import type { GraphFork } from './graph-node.tsx'

/** Nodes from which on a graph has an overview, and closes its forks. */
export const largeFrom = 14

type Marked = { readonly here: ReadonlySet<string>; readonly chosen: string | null }

type ForksShown = {
  /** What is drawn. */
  readonly picture: Picture
  readonly forks: ReadonlyMap<string, GraphFork>
  /** What was opened or closed last; null: nothing was. */
  readonly shown: readonly string[] | null
}

/** The picture with its forks open or closed. */
export function useForks(whole: Picture, marked: Marked, onToggle: () => void): ForksShown {
  const { here, chosen } = marked
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [last, setLast] = useState<string | null>(null)
  const all = useMemo(() => (whole.nodes.length > largeFrom ? forksInPicture(whole) : []), [whole])
  const stages = useMemo(() => {
    const names = new Map(whole.nodes.map((node) => [node.id, node.name]))
    return new Map(
      all.map(({ forkId, inner }) => [forkId, [...inner].map((id) => names.get(id) ?? '')]),
    )
  }, [whole, all])
  const openKey = all
    .map(({ forkId }) => forkId)
    .filter((forkId) => {
      const isMarked = stages.get(forkId)?.some((name) => here.has(name) || name === chosen)
      return toggled.get(forkId) ?? isMarked === true
    })
    .join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: who is told of a click changes nothing
  return useMemo(() => {
    const open = new Set(openKey.split(' '))
    const closed = all.filter(({ forkId }) => !open.has(forkId))
    const forks = new Map(
      all.map(({ forkId }): [string, GraphFork] => {
        const isOpen = open.has(forkId)
        const toggle = (): void => {
          onToggle()
          setLast(forkId)
          setToggled((was) => new Map(was).set(forkId, !isOpen))
        }
        return [forkId, { isOpen, stages: stages.get(forkId) ?? [], onToggle: toggle }]
      }),
    )
    const inner = all.find(({ forkId }) => forkId === last)?.inner ?? []
    const picture = collapseForks(whole, closed)
    const drawn = new Set(picture.nodes.map(({ id }) => id))
    const shown = last === null ? null : [last, ...inner].filter((id) => drawn.has(id))
    return { picture, forks, shown: shown?.length === 0 ? null : (shown ?? null) }
  }, [whole, all, stages, openKey, last])
}
