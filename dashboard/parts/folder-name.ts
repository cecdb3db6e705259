/** Folders as people know them. */

/** The last part of a path. */
export function folderName(path: string): string {
  return path.split('/').at(-1) ?? path
}
