/**
 * Writes a file into a folder, and nowhere else: not through a link, and not over a file that is
 * there, unless told to.
 */
import { existsSync, lstatSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { errorCodeOf } from '../../runtime/error-code.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { writeFile } from './write-file.ts'

/** Why the file was not written; null: it was. */
export function writeInto(
  folder: string,
  name: string,
  { text, isForced }: { readonly text: string; readonly isForced: boolean },
): string | null {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  if (!isInsideFolder(realpathSync(folder), realpathSync(nearestFolder(path)))) {
    return 'a link leads out of the folder'
  }
  const known = lstatSync(path, { throwIfNoEntry: false })
  if (known !== undefined && !known.isFile()) return 'something that is not a file has that name'
  if (known !== undefined && !isForced) return 'the file exists; `--force` writes over it'
  if (isForced) {
    writeFile(path, name, text)
    return null
  }
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { flag: 'wx' })
    return null
  } catch (cause) {
    const hint = `system error ${errorCodeOf(cause)}; choose another place`
    throw new PawlError('FILE_UNWRITABLE', `cannot write \`${name}\``, { hint, cause })
  }
}

/** The innermost folder of a path that exists. */
function nearestFolder(path: string): string {
  let folder = dirname(path)
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

/** Whether a path is the folder or inside it; both as the system resolves them. */
export function isInsideFolder(folder: string, path: string): boolean {
  const near = relative(folder, path)
  return near === '' || (near.split(sep)[0] !== '..' && !isAbsolute(near))
}
