/**
 * `pawl doctor`: what is enforced on this machine and what is not, and with `--prove` the proof.
 */

import { provableHostIds } from '../../../core/hosts/registry.ts'
import { PawlError } from '../../../runtime/pawl-error.ts'
import { collectDiagnostics } from '../doctor/diagnostics.ts'
import {
  type DoctorDoor,
  type HostsProof,
  type ProofSubject,
  proofSeconds,
} from '../doctor/doctor-door.ts'
import { diagnosticsText } from '../doctor/print-diagnostics.ts'
import { proofHolds, proofText } from '../doctor/show-proof.ts'
import type { VerbHelp } from '../help.ts'
import type { Io, Verb } from '../io.ts'
import { oneWord, readOptions, usage } from '../options.ts'

const secondsLeast = 10
const secondsDefault = `${proofSeconds(6)}, or ${proofSeconds(7)} for more than 6 hosts`

const help: VerbHelp = {
  usage: ['doctor [--json]', 'doctor --prove [--boxed] [HOST…] [--timeout SECONDS] [--json]'],
  about: `\
Shows what is installed, whether the hooks in this folder are in force, and what
hooks cannot enforce.

With --prove it starts the installed hosts
(${provableHostIds.join(', ')}) in a temporary
folder with temporary settings. A local script plays the model: your own
files and settings are not read or changed, and nothing is sent anywhere. The
script tries to write files in every way a host offers, including with the hook
slow, killed or overwritten. Only the files on disk count:
  stopped          it worked while it was allowed, and failed when it was not
  EXECUTED         it worked although it was not allowed
  not offered      the host has no such path
  not enforceable  the host calls no hook for it; the note says what covers it
  not tried        the session ended first, or time ran out`,
  options: [
    ['--prove', 'run the proof'],
    ['--boxed', 'prove what code below the hook can do, with hooks alone and in a box'],
    ['--timeout SECONDS', `the time for the whole proof; default: ${secondsDefault}`],
    ['--json', 'print one JSON object'],
  ],
  examples: ['doctor', `doctor --prove ${provableHostIds[0]} --timeout 120`],
  exits: {
    0: 'everything is enforced',
    1: 'something is not enforced',
    2: 'usage error, or no host found',
  },
}

export const doctorVerb: Verb = {
  help,
  run: async (args: readonly string[], io: Io): Promise<number> => {
    const kinds = { prove: 'flag', boxed: 'flag', timeout: 'text', json: 'flag' } as const
    const { files: names, values } = readOptions('doctor', args, kinds)
    const tell = (value: object, text: () => string): void =>
      io.out(values.json ? `${JSON.stringify(value)}\n` : text())
    if (values.prove) {
      const proof = await prove(
        names,
        { about: values.boxed ? 'below the hook' : 'hooks', seconds: values.timeout },
        io,
      )
      tell({ ...proof, holds: proofHolds(proof) }, () => proofText(proof, io))
      return proofHolds(proof) ? 0 : 1
    }
    if (names.length > 0) throw usage('doctor', 'name hosts only with `--prove`')
    if (values.boxed) throw usage('doctor', '`--boxed` goes with `--prove`')
    const around = await collectDiagnostics(io)
    tell(around, () => diagnosticsText(around, io))
    const isWell = [around, ...around.hosts].every(({ problems }) => problems.length === 0)
    return isWell ? 0 : 1
  },
}

async function prove(
  names: readonly string[],
  { about, seconds }: { readonly about: ProofSubject; readonly seconds: string | null },
  io: Io,
): Promise<HostsProof> {
  const door = await doorOf(io)
  const hosts = names.map((name) => oneWord('doctor', name, door.provable))
  const secondsMax = seconds === null ? null : Number(seconds)
  if (secondsMax !== null && !(Number.isFinite(secondsMax) && secondsMax >= secondsLeast)) {
    const message = `\`--timeout\` must be ${secondsLeast} seconds or more, not \`${seconds}\``
    throw usage('doctor', message)
  }
  const proof = await door.prove({ about, hosts, secondsMax })
  if (proof.hosts.length > 0) return proof
  throw new PawlError('USAGE', 'no host found', {
    hint: `install one of ${door.provable.join(', ')}, or set PAWL_HOSTS_ROOT to their folder`,
  })
}

async function doorOf({ doctor }: Io): Promise<DoctorDoor> {
  if (doctor !== undefined) return doctor()
  throw new PawlError('USAGE', 'this program cannot run a proof', {
    hint: 'start Pawl with `pawl`',
  })
}
