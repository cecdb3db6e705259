/**
 * Proves the hosts of this machine for `pawl doctor --prove`.
 */
import { extname, join } from 'node:path'
import { type ProvableHostId, provableHostIds } from '../core/hosts/registry.ts'
import {
  type DoctorDoor,
  type HostsProof,
  type ProofColumn,
  type ProofSubject,
  proofSeconds,
} from '../doors/cli/doctor/doctor-door.ts'
import { hostVersion } from '../doors/init/host-version.ts'
import { belowPaths } from '../prove/below-hook.ts'
import { paths } from '../prove/canaries.ts'
import { findProgram, hostPath } from '../prove/hosts/find-host.ts'
import { proveBelow } from '../prove/prove-below.ts'
import { proveHost } from '../prove/prove-host.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The hosts that an environment finds. */
export function openDoctorDoor(env: Environment): DoctorDoor {
  return {
    provable: provableHostIds,
    prove: async ({ about, hosts, secondsMax }): Promise<HostsProof> => {
      const names = provableHostIds.filter(
        (name) => (hosts.length === 0 || hosts.includes(name)) && findProgram(name, env) !== null,
      )
      // What is below the hook takes two sessions, one after the other.
      const seconds = proofSeconds(names.length) * (about === 'hooks' ? 1 : 2)
      const until = performance.now() + (secondsMax ?? seconds) * 1_000
      // All at once: most of the time a host waits, and the limit is one for all.
      const columns = await Promise.all(names.map((name) => proveOne(name, { about, until, env })))
      return { paths: about === 'hooks' ? paths : belowPaths, hosts: columns.flat() }
    },
  }
}

type ProofPlace = {
  readonly about: ProofSubject
  readonly until: number
  readonly env: Environment
}

async function proveOne(
  name: ProvableHostId,
  { about, until, env }: ProofPlace,
): Promise<readonly ProofColumn[]> {
  const program = findProgram(name, env)
  if (program === null) return []
  const pawl = join(import.meta.dirname, `pawl${extname(import.meta.filename)}`)
  const version = await hostVersion(program, { ...env, PATH: hostPath(env) })
  const begun = performance.now()
  try {
    const found = { name, program, version }
    const request = { found, pawl: [process.execPath, pawl], until } as const
    const proofs = about === 'hooks' ? [await proveHost(request)] : await proveBelow(request)
    return proofs.map((proof) => ({ ...proof, fault: null }))
  } catch (fault) {
    // WHY caught: the other hosts are still worth knowing about.
    const ms = Math.round(performance.now() - begun)
    const why = fault instanceof Error ? fault.message : String(fault)
    return [{ host: name, version, ms, cells: {}, fault: why }]
  }
}
