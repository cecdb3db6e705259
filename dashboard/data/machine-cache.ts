/** Machines by their hash. They never change, so each is requested only once. */
import type { Machine } from '../../src/core/machine/machine.ts'
import { callApi } from './api-client.ts'

const known = new Map<string, Promise<Machine>>()
const knownMax = 200

/** The machine of that hash. */
export function readMachine(hash: string): Promise<Machine> {
  const found = known.get(hash)
  if (found !== undefined) return found
  // WHY the cast: a machine is what this operation answers with.
  const asked = callApi('machines.read', { hash }).then(
    ({ machine }) => machine as unknown as Machine,
  )
  if (known.size >= knownMax) known.clear()
  known.set(hash, asked)
  asked.catch(() => known.delete(hash))
  return asked
}
