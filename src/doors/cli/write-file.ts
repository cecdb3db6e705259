/** Writes the output of a verb: a regular file atomically, anything else in place. */
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCodeOf } from '../../runtime/error-code.ts'
import { PawlError } from '../../runtime/pawl-error.ts'

/** Writes a text file and the folder it stands in. */
export function writeFile(path: string, shownPath: string, text: string): void {
  const draft = `${path}.${process.pid}.part`
  try {
    mkdirSync(dirname(path), { recursive: true })
    if (isReplaceable(path)) {
      writeFileSync(draft, text)
      renameSync(draft, path)
    } else writeFileSync(path, text)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw new PawlError('FILE_UNWRITABLE', `cannot write \`${shownPath}\``, {
      hint: `system error ${errorCodeOf(cause)}; choose another place`,
      cause,
    })
  }
}

/** WHY: a device, a pipe or a link would be gone if a file took its place. */
function isReplaceable(path: string): boolean {
  const known = lstatSync(path, { throwIfNoEntry: false })
  return known === undefined || known.isFile()
}
