/**
 * Compiles the helper of jobs into the data directory. There is no fallback: a job without
 * isolation is not started.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from '../home/home.ts'
import { ensurePrivateFolder } from '../home/private-file.ts'
import { JobFault } from '../runtime/jobs/job-fault.ts'
import {
  compileProgram,
  fileHash,
  findCompiler,
  hashOfText,
  readStamp,
  runProgram,
  writeStamp,
} from './compile-program.ts'

const folder = join(import.meta.dirname, '..', 'runner')
/** What `scripts/build.mjs` copies beside the compiled runner. */
const helperSources = [
  '',
  '-words',
  '-chain',
  '-inner',
  '-box',
  '-tree',
  '-relay',
  '-supervise',
].map((part) => `pawl-job${part}.c`)
const headerName = 'pawl-job.h'

/** The path of the helper. Fault `SpawnFailed`: it cannot be made. */
export async function installJobHelper(home: Home, compilers?: readonly string[]): Promise<string> {
  ensurePrivateFolder(home.bin)
  const path = join(home.bin, 'pawl-job')
  const stampPath = join(home.bin, 'job.stamp')
  const compiler = findCompiler(compilers)
  const sources = helperSources.map((name) => join(folder, name))
  const texts = [...sources, join(folder, headerName)].map((one) => readFileSync(one, 'utf8'))
  const madeOf = hashOfText(JSON.stringify([texts, compiler]))
  const stamp = readStamp(stampPath)
  if (stamp !== null && stamp.madeOf === madeOf && fileHash(path) === stamp.sha256) return path
  const made = await compileProgram({ path, sources, compiler, standard: 'gnu11', whyUseless })
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
  const what = `jobs cannot be isolated, so none is started; the job helper is not compiled: ${why}`
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
  return isGood ? '' : `the compiled program does not run: ${code} ${stdout}`
}
