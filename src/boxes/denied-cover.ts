/** What lies over programs that a stage denies: it starts in their place, and says so. */
import { chmodSync, writeFileSync } from 'node:fs'

/** In the folder that a box sees as `/run/pawl`. */
export const deniedCoverName = 'denied'

const text = `#!/bin/sh
printf 'pawl: %s may not be started in this stage\\n' "$0" >&2
exit 126
`

export function writeDeniedCover(path: string): void {
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}
