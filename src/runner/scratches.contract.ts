/**
 * Runners for one test file, each in its own folder, all removed when the file ends.
 * WHY not in `scratch.contract.ts`: programs that are not tests open one as well.
 */
import { afterAll } from 'vitest'
import { openScratch, type Scratch } from './scratch.contract.ts'

/** Called once, at the top of the file. */
export function openScratches(): (more?: Parameters<typeof openScratch>[0]) => Scratch {
  const opened: Scratch[] = []
  afterAll(async () => {
    for (const one of opened) await one.remove()
  })
  return (more = {}) => {
    const scratch = openScratch(more)
    opened.push(scratch)
    return scratch
  }
}
