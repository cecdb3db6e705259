/**
 * The last proof of `pawl doctor --prove`, kept so that the page can show it.
 */
import type { DoctorDoor, HostsProof } from '../doors/cli/doctor/doctor-door.ts'
import { type Home, openHome } from './home.ts'
import { readPrivate, writePrivate } from './private-file.ts'

type KeptProof = HostsProof & { readonly at: number }

/** The same door; what it proves is kept. */
export function keepingProof(door: DoctorDoor, home: Home): DoctorDoor {
  return {
    ...door,
    prove: async (wish) => {
      const proof = await door.prove(wish)
      // The page shows what hooks stop.
      if (wish.about !== 'hooks') return proof
      openHome(home)
      const kept: KeptProof = { ...proof, at: Date.now() }
      writePrivate(home.proof, `${JSON.stringify(kept)}\n`)
      return proof
    },
  }
}

/** Null: nothing was proved yet, or what is there is not ours. */
export function readProof(home: Home): KeptProof | null {
  try {
    const kept = JSON.parse(readPrivate(home.proof) ?? 'null') as KeptProof | null
    return Array.isArray(kept?.hosts) && typeof kept.at === 'number' ? kept : null
  } catch {
    return null
  }
}
