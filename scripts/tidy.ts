/**
 * The house rules that a machine can check, as tables. `tidy.test.ts` holds the tree to them;
 * how they are checked is in `tidy/`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSharedNames } from './tidy/exports.ts'
import { type Complaint, checkImports, findCycles } from './tidy/imports.ts'
import { parseSource, type Source } from './tidy/parse.ts'
import { checkShape } from './tidy/shape.ts'
import { findStale } from './tidy/stale.ts'
import { checkWords } from './tidy/words.ts'

export type { Complaint } from './tidy/imports.ts'

/** A file as the rules see it: its path from the root, with `/`, and its text. */
export type InputFile = { readonly path: string; readonly text: string }

export type Rules = {
  readonly rooms: readonly Room[]
  readonly libraries: readonly Library[]
  /** Libraries that only tests and scripts may use. */
  readonly devLibraries: readonly string[]
  readonly neighbours: readonly Neighbours[]
  readonly wordBans: readonly WordBan[]
  readonly pureFolder: string
  readonly pureBans: readonly string[]
  readonly linesMax: number
  readonly testLinesMax: number
  readonly functionLinesMax: number
  readonly lineCharsMax: number
  readonly parametersMax: number
}

/** A folder of `src` and the rooms it may import from, beside itself. */
export type Room = { readonly folder: string; readonly mayUse: readonly string[] }

/** Where a library may be imported, as beginnings of paths; `oneFile`: by one file only. */
export type Library = {
  readonly name: string
  readonly places: readonly string[]
  readonly oneFile: boolean
}

/** Folders side by side that may not import each other. */
export type Neighbours = {
  readonly folder: string
  /** The ones that keep apart; null: all of them, except the shared. */
  readonly apart: readonly string[] | null
  readonly shared: readonly string[]
}

/** Words that may not appear in names or texts of a folder; comments are free. */
export type WordBan = { readonly folder: string; readonly words: readonly string[] }

const core = 'src/core/'
// The editor of definitions; loaded only where one is edited.
const lezer = [
  ...['common', 'cpp', 'css', 'go', 'html', 'java', 'javascript', 'json', 'python', 'rust'],
  'yaml',
].map((name) => `@lezer/${name}`)
const codeMirror = [
  ...['autocomplete', 'commands', 'language', 'lint', 'state', 'view', 'lang-json', 'lang-yaml'],
].map((name) => `@codemirror/${name}`)

// The page knows what goes over the wire, and nothing of how it is answered.
const pageMayUse = ['contract.ts', 'operations-table.ts']
  .map((name) => `src/doors/api/${name}`)
  .concat('schemas/')

export const rules: Rules = {
  rooms: [
    { folder: core, mayUse: [] },
    { folder: 'src/runtime/', mayUse: [core] },
    { folder: 'src/testing/', mayUse: [core] },
    { folder: 'src/draw/', mayUse: [core, 'src/runtime/pawl-error.ts'] },
    { folder: 'src/store/', mayUse: [core, 'src/runtime/'] },
    { folder: 'src/notify/', mayUse: ['src/smtp/', core, 'src/runtime/'] },
    // What hosts keep where: a job must not see it, or change it.
    { folder: 'src/runner/', mayUse: ['src/runtime/', 'src/core/hosts/', 'src/core/redact.ts'] },
    {
      folder: 'src/doors/',
      mayUse: [core, 'src/runtime/', 'src/testing/', 'src/client/', 'src/draw/'],
    },
    { folder: 'src/client/', mayUse: ['src/doors/api/'] },
    {
      folder: 'src/gateway/',
      mayUse: [
        ...[core, 'src/runtime/', 'src/client/', 'src/doors/api/'],
        // How a session is known and a daemon reached, as the MCP door does it.
        ...['src/doors/mcp/caller-mark.ts', 'src/doors/mcp/reconnecting-client.ts'],
      ],
    },
    { folder: 'src/prove/', mayUse: [core, 'src/client/'] },
    { folder: 'src/smtp/', mayUse: [] },
    { folder: 'src/proxy/', mayUse: [core, 'src/runtime/', 'src/smtp/'] },
    {
      folder: 'src/home/',
      mayUse: [
        ...[core, 'src/runtime/', 'src/doors/api/', 'src/doors/init/'],
        // What can be set belongs to the rooms that do it.
        ...['src/notify/settings.ts', 'src/notify/smtp.ts'],
        ...['src/runner/runner-settings.ts', 'src/runner/destinations.ts'],
        // What the command line wants of people and of proofs.
        ...['src/doors/cli/remote/daemon-door.ts', 'src/doors/cli/doctor/doctor-door.ts'],
      ],
    },
    {
      folder: 'src/daemon/',
      mayUse: [
        ...[core, 'src/runtime/', 'src/home/', 'src/doors/init/check-install.ts'],
        ...['src/doors/hook/hook-command-line.ts', 'src/doors/hook/spending/', 'src/proxy/mail/'],
        'src/doors/cli/remote/daemon-door.ts',
      ],
    },
    {
      folder: 'src/boxes/',
      mayUse: [core, 'src/runtime/', 'src/runner/', 'src/home/', 'src/daemon/'],
    },
    {
      folder: 'src/jobs/',
      mayUse: [core, 'src/runtime/', 'src/runner/', 'src/home/', 'src/daemon/'],
    },
    { folder: 'src/sample/', mayUse: [core, 'src/client/', 'src/home/', 'src/daemon/'] },
    { folder: 'src/demo/', mayUse: [core, 'src/client/', 'src/home/', 'src/daemon/'] },
    { folder: 'src/main/', mayUse: ['src/'] },
    { folder: 'src/index.ts', mayUse: [core, 'src/runtime/', 'src/testing/'] },
    { folder: 'dashboard/', mayUse: [core, 'src/testing/', 'examples/workflow/', ...pageMayUse] },
  ],
  libraries: [
    // WHY: an expression library stays behind one file and its helpers (`cel.ts`, `cel-values.ts`).
    { name: '@jmespath-community/jmespath', places: ['src/core/expr/jmespath'], oneFile: false },
    { name: '@bufbuild/cel', places: ['src/core/expr/cel'], oneFile: false },
    { name: 're2js', places: ['src/core/expr/pattern'], oneFile: true },
    { name: 'unbash', places: ['src/core/shell/parse'], oneFile: true },
    { name: 'jsonc-parser', places: ['src/core/source/'], oneFile: false },
    { name: 'yaml', places: ['src/core/source/'], oneFile: false },
    {
      name: 'zod',
      places: [
        'src/core/dialects/',
        'src/core/evidence/',
        'src/core/policy/',
        'src/testing/',
        'src/doors/api/',
        'src/doors/mcp/',
        'src/gateway/gateway-file',
        'src/home/config',
      ],
      oneFile: false,
    },
    { name: '@modelcontextprotocol/server', places: ['src/doors/mcp/'], oneFile: false },
    { name: '@modelcontextprotocol/client', places: ['src/gateway/'], oneFile: true },
    { name: 'hono', places: ['src/doors/http/'], oneFile: false },
    { name: '@hono/node-server', places: ['src/doors/http/'], oneFile: true },
    { name: 'postgres', places: ['src/store/postgres/'], oneFile: false },
    { name: 'nodemailer', places: ['src/smtp/'], oneFile: true },
    { name: 'smol-toml', places: ['src/doors/init/toml-text'], oneFile: true },
    { name: '@noble/hashes', places: ['src/core/machine/hash'], oneFile: true },
    { name: 'elkjs', places: ['src/draw/', 'dashboard/parts/graph-layout'], oneFile: false },
    { name: '@simplewebauthn/server', places: ['src/runtime/passkeys/'], oneFile: true },
    { name: '@simplewebauthn/browser', places: ['dashboard/data/passkeys'], oneFile: true },
    { name: 'react', places: ['dashboard/'], oneFile: false },
    { name: 'react-dom', places: ['dashboard/main'], oneFile: true },
    { name: '@xyflow/react', places: ['dashboard/parts/graph'], oneFile: false },
    { name: '@lezer/highlight', places: ['dashboard/'], oneFile: false },
    ...lezer.map((name) => ({ name, places: ['dashboard/parts/code-languages'], oneFile: true })),
    ...codeMirror.map((name) => ({ name, places: ['dashboard/editor/'], oneFile: false })),
  ],
  devLibraries: [
    ...['vitest', 'vite', 'fast-check', 'ajv', 'xstate', '@bufbuild/cel-spec'],
    ...['axe-core', 'playwright-core', 'resend', 'smtp-server', 'picomatch'],
    '@pydantic/genai-prices',
  ],
  neighbours: [
    { folder: 'src/doors/', apart: null, shared: ['api', 'init'] },
    { folder: 'src/store/', apart: null, shared: [] },
    { folder: 'src/core/dialects/', apart: ['process', 'workflow', 'steps'], shared: [] },
    // WHY one way only: a policy is part of a machine, and the judge reads both.
    { folder: core, apart: ['machine', 'policy'], shared: ['machine'] },
    { folder: core, apart: ['policy', 'judge'], shared: ['policy'] },
  ],
  wordBans: [{ folder: 'src/core/engine/', words: ['process', 'workflow', 'steps'] }],
  pureFolder: core,
  pureBans: [
    'Date',
    'Math.random',
    'Promise',
    'setTimeout',
    'setInterval',
    'queueMicrotask',
    'console',
    'process',
    'globalThis',
    'fetch',
    'performance',
    'crypto',
    'eval',
    'Function',
  ],
  linesMax: 400,
  testLinesMax: 600,
  functionLinesMax: 70,
  lineCharsMax: 100,
  parametersMax: 3,
}

/** Everything that these files do against the rules, in the order of files and lines. */
export function tidy(files: readonly InputFile[], table: Rules = rules): readonly Complaint[] {
  const sources = parseAll(files)
  const complaints = sources.flatMap((source) => [
    ...checkShape(source, table),
    ...checkWords(source, table),
    ...checkImports(source, table),
  ])
  complaints.push(
    ...findCycles(sources),
    ...findSecondUsers(sources, table),
    ...findSharedNames(sources),
  )
  return complaints.sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
}

// A library that belongs to one file: a second file that imports it is the one complained about.
function findSecondUsers(sources: readonly Source[], table: Rules): readonly Complaint[] {
  const complaints: Complaint[] = []
  for (const library of table.libraries.filter((one) => one.oneFile)) {
    const users = sources
      .filter((source) => !source.isTest && /^(src|dashboard)\//.test(source.path))
      .filter((source) => source.imports.some((one) => one.library === library.name))
    for (const user of users.slice(1)) {
      const line = user.imports.find((one) => one.library === library.name)?.line ?? 1
      const message = `\`${library.name}\` is already used by \`${users[0]?.path}\``
      complaints.push({ file: user.path, line, rule: 'library', message })
    }
  }
  return complaints
}

// WHY kept: parsing the tree is what takes the time, and two checks look at it.
const parsed = new WeakMap<readonly InputFile[], readonly Source[]>()

function parseAll(files: readonly InputFile[]): readonly Source[] {
  const known = parsed.get(files) ?? files.map(parseSource)
  parsed.set(files, known)
  return known
}

/** Entries of the tables that nothing in these files answers to any more. */
export function staleEntries(files: readonly InputFile[], table: Rules = rules): readonly string[] {
  return findStale(parseAll(files), table)
}

/** The files of this checkout that the rules are about. */
export function readTree(root: string): readonly InputFile[] {
  return ['src', 'dashboard', 'scripts', 'test']
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${folder}/${name.replaceAll('\\', '/')}`,
      ),
    )
    .filter((path) => /\.(tsx?|mjs)$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}
