/**
 * Machines by their content: loaded once, checked against their hash, and never changed.
 */
import { sealMachine } from '../../core/machine/hash.ts'
import type { Machine } from '../../core/machine/machine.ts'
import { PawlError } from '../pawl-error.ts'
import type { DefinitionStore, StoredMachine } from '../ports.ts'

export type MachineCache = {
  /** Makes sure that these are at hand. Faults `MACHINE_UNKNOWN`, `STORE_CORRUPT`. */
  readonly fetch: (hashes: readonly string[]) => Promise<void>
  /** One that was fetched or added. */
  readonly get: (hash: string) => Machine
  /** Puts machines on the shelf; keeping them is the store's business. */
  readonly add: (machines: readonly Machine[]) => void
}

/** Machines kept at hand; beyond it the ones longest there make room. */
export const machinesMax = 2_000

export function openMachineCache(store: DefinitionStore): MachineCache {
  const shelf = new Map<string, Machine>()
  const put = (machine: Machine): void => {
    shelf.delete(machine.hash)
    shelf.set(machine.hash, machine)
    const oldest = shelf.size > machinesMax ? shelf.keys().next().value : undefined
    if (oldest !== undefined) shelf.delete(oldest)
  }
  return {
    fetch: async (hashes) => {
      for (const hash of hashes) {
        if (shelf.has(hash)) continue
        const stored = await store.readMachine(hash)
        if (stored === null) {
          const message = `the machine \`${hash}\` of this run is missing from the store`
          throw new PawlError('MACHINE_UNKNOWN', message, {
            hint: 'restore the store, or import it',
          })
        }
        put(machineIn(stored))
      }
    },
    get: (hash) => {
      const machine = shelf.get(hash)
      if (machine === undefined) throw new PawlError('MACHINE_UNKNOWN', `no machine \`${hash}\``)
      return machine
    },
    add: (machines) => {
      for (const machine of machines) put(machine)
    },
  }
}

/** How a machine is kept. */
export function storedMachine(machine: Machine): StoredMachine {
  const { hash, name, dialect, format } = machine
  return { hash, name, dialect, format, compiled: JSON.stringify(machine) }
}

/** The machine that was kept, if it still is the one its hash names. */
export function machineIn(stored: StoredMachine): Machine {
  let machine: Machine | null = null
  try {
    const { hash: _, ...content } = JSON.parse(stored.compiled) as Machine
    machine = sealMachine(content)
  } catch {
    // Told below: what cannot be read is not what was kept.
  }
  if (machine?.hash === stored.hash) return machine
  const message = `the machine \`${stored.hash}\` was changed in the store`
  throw new PawlError('STORE_CORRUPT', message, { hint: 'restore the store from a backup' })
}
