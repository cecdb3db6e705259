/** Paths as people read them. */

/** A path as it is within a folder. */
export function shortPath(path: string, folder: string | null): string {
  return folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}
