/**
 * Makes what a package contains and git does not: the compiled program, the page and the native
 * programs. npm runs it before `npm pack` and `npm publish`. Runs on Node 18, because it may run
 * before ours is there.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { env, exit } from 'node:process'
import { ensureBuilt } from './build.mjs'
import { nodePath, root, tellFault } from './checkout.mjs'
import { ensureInstalled } from './install.mjs'

try {
  await ensureInstalled()
  await ensureBuilt()
  // The tests look at a package that needs to work on their machine only.
  const extent = env.PAWL_PACK_FOR === 'here' ? ['--here'] : []
  const args = [join(root, 'scripts', 'prebuild.mjs'), ...extent]
  // What npm prints on stdout is for whoever asked for the package.
  const { status } = spawnSync(nodePath(), args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (status !== 0) exit(2)
} catch (error) {
  tellFault(error)
  exit(2)
}
