/**
 * `pawl doctor`: what is held on this machine and what is not, and with `--prove` the proof.
 */
import { provableHostIds } from '../../../core/hosts/registry.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { collectDiagnostics } from '../doctor/diagnostics.ts'
import type { DoctorDoor, HostsProof } from '../doctor/doctor-door.ts'
import { diagnosticsText } from '../doctor/print-diagnostics.ts'
import { proofHolds, proofText } from '../doctor/show-proof.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, usage } from '../options.ts'

const secondsDefault = 60
const secondsLeast = 10

const help = `\
pawl doctor: what Pawl holds on this machine, and what it does not

Usage: pawl doctor [--json]
       pawl doctor --prove [HOST…] [--seconds N] [--json]

Says what is installed, whether the hooks in this folder are in force, and what no hook can hold.

With --prove it starts the hosts that are installed (${provableHostIds.join(', ')}),
each with a model that is a script on this machine, in a folder and with settings of its own:
nothing of yours is read or changed, and nothing is sent anywhere. The script tries to write files
on every path a host has, also with the hook slow, killed or overwritten. What counts is what is on
the disk:
  stopped          it happened while it was permitted, and did not when it was not
  EXECUTED         it happened although it should not
  not offered      the host has nothing of the kind
  not enforceable  no hook of the host is asked; it says what covers it
  not tried        the session ended before, or the time was up

Options:
  --prove        try it
  --seconds N    how long that may take in all; default ${secondsDefault}
  --json         one JSON object

Exit codes: 0 all is held, 1 something is not, 2 it could not be looked at
`

export const doctorVerb: Verb = {
  name: 'doctor',
  summary: 'say what is held on this machine, and prove it',
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const kinds = { prove: 'flag', seconds: 'text', json: 'flag' } as const
    const { files: names, values } = readOptions('doctor', args, kinds)
    const tell = (value: object, text: () => string): void =>
      io.out(values.json ? `${JSON.stringify(value)}\n` : text())
    if (values.prove) {
      const proof = await prove(names, values.seconds, io)
      tell({ ...proof, holds: proofHolds(proof) }, () => proofText(proof, io))
      return proofHolds(proof) ? 0 : 1
    }
    if (names.length > 0) throw usage('doctor', `hosts are named with \`--prove\` only`)
    const around = await collectDiagnostics(io)
    tell(around, () => diagnosticsText(around, io))
    const isWell = [around, ...around.hosts].every(({ problems }) => problems.length === 0)
    return isWell ? 0 : 1
  },
}

async function prove(
  names: readonly string[],
  seconds: string | null,
  io: Io,
): Promise<HostsProof> {
  const door = await doorOf(io)
  const hosts = names.map((name) => oneWord('doctor', name, door.provable))
  const secondsMax = seconds === null ? secondsDefault : Number(seconds)
  if (!(Number.isFinite(secondsMax) && secondsMax >= secondsLeast)) {
    throw usage('doctor', `\`--seconds\` is a number from ${secondsLeast} on, not \`${seconds}\``)
  }
  const proof = await door.prove({ hosts, secondsMax })
  if (proof.hosts.length > 0) return proof
  throw new PawlError('USAGE', 'no host was found', {
    hint: `install one of ${door.provable.join(', ')}, or name a folder with PAWL_HOSTS_ROOT`,
  })
}

async function doorOf({ doctor }: Io): Promise<DoctorDoor> {
  if (doctor !== undefined) return doctor()
  throw new PawlError('USAGE', 'there is no program to prove here', {
    hint: 'start Pawl with `pawl`',
  })
}
