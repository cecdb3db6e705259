/**
 * Pawl as a user gets it: the package as npm makes it, installed by npm, on a Node of their own.
 * Brings old Nodes and the npm that runs on them from the registry, once.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')
/** Runs on Node 18 and on all newer ones. */
const npmVersion = '10.9.9'
const installMsMax = 5 * 60_000
const outputBytesMax = 64 * 1024 * 1024
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pawl-nodes')

/** The Node of a version from the registry. */
export function nodeOf(version: string): string {
  const name = `node-linux-${process.arch}`
  return join(bring(`${name}@${version}`), 'node_modules', name, 'bin', 'node')
}

/** The file of npm that a Node runs. */
export function npmCli(): string {
  return join(bring(`npm@${npmVersion}`), 'node_modules', 'npm', 'bin', 'npm-cli.js')
}

/** Installs one package into a folder of its own, where it is missing; gives the folder. */
function bring(wanted: string): string {
  const folder = join(cache, wanted)
  // npm writes this file when an installation is complete.
  if (existsSync(join(folder, 'node_modules', '.package-lock.json'))) return folder
  mkdirSync(folder, { recursive: true })
  npm(['install', '--prefix', folder, '--no-save', '--ignore-scripts', wanted], process.env)
  return folder
}

/** Runs the npm of the machine, with a clear word where the registry is out of reach. */
export function npm(args: readonly string[], env: NodeJS.ProcessEnv): string {
  return checked('npm', ['--no-audit', '--no-fund', ...args], env)
}

/** Runs a program that must succeed; gives what it printed. */
export function checked(file: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    ...{ cwd: root, env, encoding: 'utf8', timeout: installMsMax, maxBuffer: outputBytesMax },
  })
  if (status === 0) return stdout
  const said = `${stdout}${stderr}`
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(said)) {
    throw new Error('the npm registry cannot be reached; connect to the network and try again')
  }
  throw new Error(`\`${[file, ...args].join(' ')}\` failed: ${error?.message ?? ''}\n${said}`)
}

/** Where a package is, and what is in it. */
export type Packed = { readonly tarball: string; readonly files: readonly string[] }

/** What `npm pack` makes of this checkout, with the programs that this machine can make. */
export function pack(folder: string): Packed {
  const env = { ...process.env, PAWL_PACK_FOR: 'here' }
  const said = npm(['pack', '--json', '--pack-destination', folder], env)
  // Before the list npm may print the name of the script that it runs.
  const [made] = JSON.parse(said.slice(said.search(/^\[/m)))
  const files = made.files.map((file: { readonly path: string }) => file.path)
  return { tarball: join(folder, made.filename), files }
}

/** Why the package does not work here without a compiler; null: it does. */
export function whyNotPrebuilt(): string | null {
  const list = join(root, 'prebuilt', 'hashes.json')
  const machine = `${process.platform}-${process.arch}`
  const isThere = existsSync(list) && JSON.parse(readFileSync(list, 'utf8'))[machine] !== undefined
  return isThere ? null : `no native programs are prebuilt for ${machine}: see \`npm run native\``
}

/** Fills a folder for a PATH on which there is no compiler; gives it back. */
export function putTools(folder: string, node: string): string {
  for (const name of ['sh', 'env', 'git']) {
    const found = ['/bin', '/usr/bin'].map((one) => join(one, name)).find(existsSync)
    if (found !== undefined) symlinkSync(found, join(folder, name))
  }
  symlinkSync(node, join(folder, 'node'))
  return folder
}

/** Where compilers are hidden by a layer over the folder, seen by the started program only. */
const hideCompilers = `set -e
/bin/mount -t tmpfs tmpfs "$1"
/bin/mkdir "$1/upper" "$1/work"
/bin/mount -t overlay overlay -o "lowerdir=/usr/bin,upperdir=$1/upper,workdir=$1/work" /usr/bin
/bin/rm -f /usr/bin/cc /usr/bin/gcc /usr/bin/clang
shift
exec "$@"`

/**
 * The words before a command that start it, and all that it starts, without the C compilers of
 * the machine. WHY not only by the PATH: Pawl looks for a compiler in fixed folders.
 */
export function withoutCompilers(folder: string): readonly [string, ...string[]] {
  return [
    '/usr/bin/unshare',
    '--map-root-user',
    '--mount',
    '/bin/sh',
    '-c',
    hideCompilers,
    'sh',
    folder,
  ]
}

export type InstalledPackage = { readonly program: string; readonly folder: string }

type PackageWish = {
  /** The Node that npm runs on. */
  readonly node: string
  readonly tarball: string
  /** `npm install -g` as it is; or in a project, without the Node that comes along. */
  readonly as: 'global' | 'project'
  /** Gives new folders, which the caller removes. */
  readonly scratch: (name: string) => string
}

/** WHY: behind a proxy with certificates of its own, npm reaches the registry only with these. */
function networkVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names = /^(?:node_extra_ca_certs|ssl_cert_(?:file|dir)|(?:https?|no)_proxy)$/i
  return Object.fromEntries(Object.entries(env).filter(([name]) => names.test(name)))
}

/** Installs the package with npm, with a clean home and without a compiler on the PATH. */
export function installPackage({ node, tarball, as, scratch }: PackageWish): InstalledPackage {
  const prefix = scratch('prefix')
  const wish = as === 'global' ? ['-g'] : ['--omit=optional']
  const args = ['install', ...wish, '--prefix', prefix, '--prefer-offline', tarball]
  // WHY the cache of the machine: what `npm ci` has brought is not brought again.
  const npm_config_cache = checked('npm', ['config', 'get', 'cache'], process.env).trim()
  const own = { PATH: putTools(scratch('tools'), node), HOME: scratch('home'), npm_config_cache }
  const env = { ...networkVariables(process.env), ...own }
  checked(node, [npmCli(), '--no-audit', '--no-fund', ...args], env)
  const modules = join(prefix, ...(as === 'global' ? ['lib'] : []), 'node_modules')
  const bin = as === 'global' ? join(prefix, 'bin') : join(modules, '.bin')
  return { program: join(bin, 'pawl'), folder: join(modules, 'pawl') }
}

export function scratchFolder(name: string): string {
  return mkdtempSync(join(tmpdir(), `pawl-install-${name}-`))
}

/** What a folder takes on the disk, in bytes, without the named parts of it. */
export function diskBytes(folder: string, without: readonly string[]): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (without.includes(entry.name)) continue
    const path = join(folder, entry.name)
    if (entry.isDirectory()) bytes += diskBytes(path, without)
    else if (entry.isFile()) bytes += statSync(path).blocks * 512
  }
  return bytes
}
