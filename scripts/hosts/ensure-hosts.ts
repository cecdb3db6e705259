/**
 * Installs the hosts that tests need from the npm registry, where they are missing.
 * Never touches what the user has installed elsewhere.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostPath } from '../../src/prove/hosts/find-host.ts'
import { type Package, packages } from './versions.ts'

const installMsMax = 10 * 60_000

/** Brings what is missing under a root; throws when something can not be had. */
export function ensureHosts(root: string, folders: readonly string[] | null): void {
  for (const one of packages) {
    if (folders !== null && !folders.includes(one.folder)) continue
    if (existsSync(programOf(root, one))) continue
    console.error(`installing ${one.packages.join(' ')} into ${join(root, one.folder)}`)
    install(root, one)
  }
}

function programOf(root: string, { folder, program }: Package): string {
  return join(root, folder, 'node_modules', '.bin', program)
}

function install(root: string, one: Package): void {
  const folder = join(root, one.folder)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'package.json')
  if (!existsSync(file)) writeFileSync(file, `{"name":"x-${one.folder}","private":true}\n`)
  // WHY our Node first: npm leaves out optional parts that the Node on the PATH does not fit.
  const env = { ...process.env, PATH: hostPath(process.env) }
  const args = ['install', '--no-audit', '--no-fund', '--save-exact', ...one.packages]
  const { status, stderr } = spawnSync('npm', args, {
    ...{ cwd: folder, env, timeout: installMsMax },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status === 0 && existsSync(programOf(root, one))) return
  throw new Error(`npm could not install ${one.packages.join(' ')}:\n${stderr}`)
}
