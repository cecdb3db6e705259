/**
 * `npm run native`: compiles the programs that are written in C for every machine that the package
 * serves, static, into `prebuilt/`, with a list of their hashes. Leaves those that are there
 * already. With `--here` only for this machine, and where it cannot, it says so and that is all:
 * then each data directory gets programs of its own. Runs on the Node that the lockfile brought.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { arch, argv, env, exit, pid, platform } from 'node:process'
import {
  compileArgs,
  fileHash,
  hookClientProgram,
  jobHelperProgram,
  prebuiltFolder,
  prebuiltListName,
  sourcesHash,
} from '../src/daemon/native-programs.ts'
import { SetupError, tell, tellFault, withLock } from './checkout.mjs'
import { ensureCompiler } from './ensure-program.mjs'

const programs = [hookClientProgram, jobHelperProgram]
/** As Debian names them; its static C library comes with the compiler of the machine itself. */
const machines = {
  'linux-x64': {
    compiler: 'x86_64-linux-gnu-gcc',
    packages: ['gcc-x86-64-linux-gnu', 'libc6-dev-amd64-cross'],
  },
  'linux-arm64': {
    compiler: 'aarch64-linux-gnu-gcc',
    packages: ['gcc-aarch64-linux-gnu', 'libc6-dev-arm64-cross'],
  },
}
const ownPackages = ['gcc', 'libc6-dev']

const listPath = join(prebuiltFolder, prebuiltListName)

function prebuild() {
  const known = readList()
  const missing = Object.keys(machines).filter((machine) => !isPrebuilt(known, machine))
  if (missing.length === 0) return
  tell('compiling the native programs')
  const made = missing.map((machine) => {
    const compiler = compilerFor(machine)
    return [machine, compiler === null ? undefined : compileFor(machine, compiler)]
  })
  writeList({ ...known, ...Object.fromEntries(made) })
}

/** Never a fault: the tests run without prebuilt programs too. */
function prebuildHere() {
  const known = readList()
  const here = `${platform}-${arch}`
  if (isPrebuilt(known, here)) return
  tell('compiling the native programs')
  try {
    if (machines[here] === undefined) throw new SetupError(`none are made for ${here}`)
    if (!ensureCompiler('gcc', ownPackages)) throw new SetupError('no C compiler was found (gcc)')
    writeList({ ...known, [here]: compileFor(here, 'gcc') })
  } catch (error) {
    tellFault(error)
    tell('no programs are prebuilt: they are compiled for each data directory, which takes longer')
    writeList({ ...known, [here]: undefined })
  }
}

function readList() {
  return existsSync(listPath) ? JSON.parse(readFileSync(listPath, 'utf8')) : {}
}

function writeList(list) {
  mkdirSync(prebuiltFolder, { recursive: true })
  const draft = `${listPath}.${pid}`
  writeFileSync(draft, `${JSON.stringify(list, null, 2)}\n`)
  renameSync(draft, listPath)
}

function isPrebuilt(list, machine) {
  return programs.every((program) => {
    const known = list[machine]?.[program.name]
    return (
      known?.madeOf === sourcesHash(program) &&
      known.sha256 === fileHash(join(prebuiltFolder, machine, program.name))
    )
  })
}

function compileFor(machine, compiler) {
  const folder = join(prebuiltFolder, machine)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  return Object.fromEntries(programs.map((one) => [one.name, compile(one, compiler, folder)]))
}

/** The compiler for a machine; null: there is none, and the package is only to be tried here. */
function compilerFor(machine) {
  const { compiler, packages } = machines[machine]
  if (ensureCompiler(compiler, packages)) return compiler
  if (machine === `${platform}-${arch}` && ensureCompiler('gcc', ownPackages)) return 'gcc'
  const missing =
    `\`${compiler}\` is missing, which compiles the programs for ${machine}; ` +
    `install it and try again (apt-get install ${packages.join(' ')})`
  // WHY an error only then: a published package must serve every machine that the docs name.
  if (env.npm_command === 'publish') throw new SetupError(missing)
  tell(`the package is made without programs for ${machine}: ${missing}`)
  return null
}

function compile(program, compiler, folder) {
  const path = join(folder, program.name)
  // WHY no build id: it is the only thing that would differ from one folder to the next.
  const args = ['-Wl,--build-id=none', ...compileArgs(program, 'static', path)]
  const { status, stderr } = spawnSync(compiler, args, { encoding: 'utf8' })
  if (status !== 0) throw new SetupError(`\`${compiler}\` could not make ${path}`, stderr)
  return { sha256: fileHash(path), madeOf: sourcesHash(program) }
}

try {
  await withLock(argv.includes('--here') ? prebuildHere : prebuild)
} catch (error) {
  tellFault(error)
  exit(2)
}
