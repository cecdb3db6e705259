/**
 * The version of this Pawl, from its own package.
 */
import { readFileSync } from 'node:fs'

/** The version, as `--version` prints it. */
export function versionText(): string {
  // `src/doors/cli` and `dist/doors/cli` are as far from the package.
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')
  // WHY the cast: it is our own file, and npm refuses a package without a version.
  return (JSON.parse(text) as { version: string }).version
}
