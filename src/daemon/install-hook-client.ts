/**
 * Installs the client of command hooks in the data directory: prebuilt or compiled, else a shell
 * script that starts the client in Node. Cheap if nothing has changed, so every start of the daemon
 * calls it; files are replaced atomically, because hooks may be running.
 */
import { join } from 'node:path'
import { clientName, quoteWord } from '../doors/hook/hook-command-line.ts'
import type { Home } from '../home/home.ts'
import { writeHookSecrets } from '../home/hook-secrets.ts'
import { readInstalls } from '../home/installs.ts'
import { readPrivate, writePrivate } from '../home/private-file.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import {
  findCompiler,
  installProgram,
  programMode,
  readStamp,
  runProgram,
  writeStamp,
} from './install-program.ts'
import {
  fileHash,
  findPrebuilt,
  hashOfText,
  hookClientProgram,
  prebuiltFolder,
  sourcesHash,
} from './native-programs.ts'

type HookClient = {
  readonly path: string
  /** From the package; compiled, with everything in it or against libraries; or the script. */
  readonly kind: 'prebuilt' | 'static' | 'dynamic' | 'script'
  /** Why it is the script; null: it is not. */
  readonly why: string | null
}

type HookClientMeans = {
  /** The Node that the daemon and the client in Node run on. */
  readonly node: string
  readonly program: string
  /** Compilers in the order in which they are tried; absent: where systems have them. */
  readonly cc?: readonly string[]
  /** Where prebuilt programs are; absent: in the package. */
  readonly prebuilt?: string
}

/** Installs the client and its settings. Faults: `FILE_UNWRITABLE`, `CONFIG_INVALID`. */
export async function installHookClient(home: Home, means: HookClientMeans): Promise<HookClient> {
  writeHookSecrets(home, readInstalls(home))
  const path = join(home.bin, clientName)
  const stampPath = join(home.bin, 'hook.stamp')
  const confPath = join(home.bin, 'hook.conf')
  const conf = confText(home, means)
  const script = scriptText(home, means)
  const program = hookClientProgram
  const compiler = findCompiler(means.cc)
  const prebuilt = findPrebuilt(program, means.prebuilt ?? prebuiltFolder)
  const madeOf = hashOfText(JSON.stringify([script, compiler, prebuilt, sourcesHash(program)]))
  if (readPrivate(confPath) !== conf) writePrivate(confPath, conf)
  const stamp = readStamp<HookClient['kind']>(stampPath)
  const found = fileHash(path)
  const isOurs = stamp !== null && found === stamp.sha256
  if (isOurs && stamp.madeOf === madeOf) return { path, kind: stamp.kind, why: stamp.why }
  // WHY first: hooks work while the compiler does, however slowly.
  if (!isOurs) writePrivate(path, script, programMode)
  const made = await installProgram({ program, path, prebuilt, compiler, whyUseless })
  if (made.kind === null) writePrivate(path, script, programMode)
  const client = { kind: made.kind ?? 'script', why: made.why } as const
  writeStamp(stampPath, { madeOf, sha256: fileHash(path) ?? '', ...client })
  return { path, ...client }
}

function confText(home: Home, { node, program }: HookClientMeans): string {
  const lines = { socket: home.hookSocket, secrets: home.hookSecrets, node, program }
  const whole = Object.entries({ ...lines, home: home.folder })
  for (const [name, path] of whole) {
    if (!/[\n\0]/.test(path)) continue
    throw new PawlError('CONFIG_INVALID', `the path of the ${name} contains a line break`, {
      hint: 'choose another folder with PAWL_HOME, or move Pawl',
    })
  }
  return whole.map(([name, path]) => `${name} ${path}\n`).join('')
}

/** What could change Node before Pawl has a say; the compiled client drops all that begin so. */
const unwanted =
  'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE NODE_COMPILE_CACHE NODE_DEBUG ' +
  'LD_PRELOAD LD_AUDIT LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES DYLD_LIBRARY_PATH'

function scriptText(home: Home, { node, program }: HookClientMeans): string {
  return [
    '#!/bin/sh',
    "# Pawl's hook client, used where no native one could be compiled: starts the one in Node.",
    `unset ${unwanted}`,
    `PAWL_HOME=${quoteWord(home.folder)}`,
    'export PAWL_HOME',
    `exec ${quoteWord(node)} ${quoteWord(program)} hook "$@"`,
    '',
  ].join('\n')
}

/** Without arguments it has to refuse: it runs here, and it is what we think it is. */
async function whyUseless(draft: string): Promise<string> {
  const { code, stderr } = await runProgram(draft, [])
  const isGood = code === 2 && stderr.startsWith('Pawl: blocked: ')
  return isGood ? '' : `the program does not run: ${code} ${stderr}`
}
