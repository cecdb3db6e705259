/**
 * Installs the helper of jobs in the data directory, prebuilt or compiled. There is no fallback: a
 * job without isolation is not started.
 */
import { join } from 'node:path'
import type { Home } from '../home/home.ts'
import { ensurePrivateFolder } from '../home/private-file.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import {
  findCompiler,
  installProgram,
  readStamp,
  runProgram,
  writeStamp,
} from './install-program.ts'
import {
  fileHash,
  findPrebuilt,
  hashOfText,
  jobHelperProgram,
  prebuiltFolder,
  sourcesHash,
} from './native-programs.ts'

type JobHelperMeans = {
  /** Compilers in the order in which they are tried; absent: where systems have them. */
  readonly cc?: readonly string[]
  /** Where prebuilt programs are; absent: in the package. */
  readonly prebuilt?: string
}

/** The path of the helper. Fault `SpawnFailed`: it cannot be made. */
export async function installJobHelper(home: Home, means: JobHelperMeans = {}): Promise<string> {
  ensurePrivateFolder(home.bin)
  const program = jobHelperProgram
  const path = join(home.bin, program.name)
  const stampPath = join(home.bin, 'job.stamp')
  const compiler = findCompiler(means.cc)
  const prebuilt = findPrebuilt(program, means.prebuilt ?? prebuiltFolder)
  const madeOf = hashOfText(JSON.stringify([compiler, prebuilt, sourcesHash(program)]))
  const stamp = readStamp(stampPath)
  if (stamp !== null && stamp.madeOf === madeOf && fileHash(path) === stamp.sha256) return path
  const made = await installProgram({ program, path, prebuilt, compiler, whyUseless })
  if (made.kind === null) throw missing(made.why)
  writeStamp(stampPath, { madeOf, sha256: fileHash(path) ?? '', ...made })
  return path
}

/** How people get a compiler, by system. */
const howTo = [
  ...['`apt install gcc libc6-dev`', '`dnf install gcc glibc-devel`', '`pacman -S gcc`'],
  ...['`apk add gcc musl-dev linux-headers`', '`xcode-select --install`'],
].join(', ')

function missing(why: string): JobFault {
  const what = `jobs cannot be isolated, so none is started; there is no job helper: ${why}`
  return new JobFault('SpawnFailed', what, {
    recovery: [
      {
        action: 'install_compiler',
        description:
          `Ask a person to install a C compiler (${howTo}), and try again; ` +
          'nothing needs to be restarted.',
      },
    ],
    context: { level: 'none' },
  })
}

async function whyUseless(draft: string): Promise<string> {
  const { code, stdout } = await runProgram(draft, ['probe'])
  const isGood = code === 0 && stdout.startsWith('pawl-job 1 ')
  return isGood ? '' : `the program does not run: ${code} ${stdout}`
}
