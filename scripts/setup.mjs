/**
 * Prepares a checkout: installs what the lockfile names, and with `--build` compiles. Does nothing
 * if nothing changed.
 * Runs on Node 18, because it runs before ours is installed.
 */
import { argv, exit, version } from 'node:process'
import { ensureBuilt } from './build.mjs'
import { SetupError, tellFault } from './checkout.mjs'
import { ensureInstalled } from './install.mjs'

const setupNodeMajorMin = 18

try {
  if (Number.parseInt(version.slice(1), 10) < setupNodeMajorMin) {
    throw new SetupError(`Node ${version} is too old; Node ${setupNodeMajorMin} or newer is needed`)
  }
  await ensureInstalled()
  if (argv.includes('--build')) await ensureBuilt()
} catch (error) {
  tellFault(error)
  exit(2)
}
