/**
 * Proves the hosts of this machine for `pawl doctor --prove`.
 */
import { extname, join } from 'node:path'
import { type ProvableHostId, provableHostIds } from '../core/hosts/registry.ts'
import type { DoctorDoor, HostsProof, ProofColumn } from '../doors/cli/doctor/doctor-door.ts'
import { hostVersion } from '../doors/init/host-version.ts'
import { paths } from '../prove/canaries.ts'
import { findProgram, hostPath } from '../prove/hosts/find-host.ts'
import { proveHost } from '../prove/prove-host.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The hosts that an environment finds. */
export function openDoctorDoor(env: Environment): DoctorDoor {
  return {
    provable: provableHostIds,
    prove: async ({ hosts, secondsMax }): Promise<HostsProof> => {
      const until = performance.now() + secondsMax * 1_000
      const names = provableHostIds.filter((name) => hosts.length === 0 || hosts.includes(name))
      // All at once: most of the time a host waits, and the limit is one for all.
      const columns = await Promise.all(names.map((name) => proveOne(name, until, env)))
      return { paths, hosts: columns.filter((one) => one !== null) }
    },
  }
}

async function proveOne(
  name: ProvableHostId,
  until: number,
  env: Environment,
): Promise<ProofColumn | null> {
  const program = findProgram(name, env)
  if (program === null) return null
  const pawl = join(import.meta.dirname, `pawl${extname(import.meta.filename)}`)
  const version = await hostVersion(program, { ...env, PATH: hostPath(env) })
  const begun = performance.now()
  try {
    const found = { name, program, version }
    const proof = await proveHost({ found, pawl: [process.execPath, pawl], until })
    return { ...proof, fault: null }
  } catch (fault) {
    // WHY caught: the other hosts are still worth knowing about.
    const ms = Math.round(performance.now() - begun)
    const why = fault instanceof Error ? fault.message : String(fault)
    return { host: name, version, ms, cells: {}, fault: why }
  }
}
