/** Paths as people read them. */

/** The last part of a path. */
export function folderName(path: string): string {
  return path.split('/').at(-1) ?? path
}

/** A path as it is within a folder. */
export function shortPath(path: string, folder: string | null): string {
  return folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}
