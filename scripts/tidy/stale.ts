/**
 * Entries of the tables that match nothing in the tree any more: a folder that is gone, an
 * exception that nothing uses. They could allow something later, unnoticed.
 */
import type { Rules } from '../tidy.ts'
import type { Source } from './parse.ts'

/** What could be struck from the tables. */
export function findStale(sources: readonly Source[], rules: Rules): readonly string[] {
  const judged = sources.filter(({ isTest }) => !isTest)
  const isThere = (beginning: string): boolean =>
    judged.some(({ path }) => path.startsWith(beginning))
  const folders = [
    ...rules.rooms.map(({ folder }) => folder),
    ...rules.neighbours.flatMap(({ folder, apart, shared }) => [
      folder,
      ...[...(apart ?? []), ...shared].map((name) => `${folder}${name}/`),
    ]),
    ...rules.wordBans.map(({ folder }) => folder),
    rules.pureFolder,
  ]
  return [
    ...folders.filter((folder) => !isThere(folder)).map((folder) => `there is no \`${folder}\``),
    ...unusedAllowances(judged, rules),
    ...unusedPlaces(judged, rules),
  ]
}

function unusedAllowances(sources: readonly Source[], rules: Rules): readonly string[] {
  return rules.rooms.flatMap(({ folder, mayUse }) => {
    const files = sources
      .filter(({ path }) => path.startsWith(folder))
      .flatMap(({ imports }) => imports.map(({ file }) => file ?? ''))
    return mayUse
      .filter((allowed) => !files.some((file) => file.startsWith(allowed)))
      .map((allowed) => `\`${folder}\` imports nothing of \`${allowed}\``)
  })
}

function unusedPlaces(sources: readonly Source[], rules: Rules): readonly string[] {
  return rules.libraries.flatMap(({ name, places }) => {
    const users = sources.filter(({ imports }) => imports.some(({ library }) => library === name))
    return places
      .filter((place) => !users.some(({ path }) => path.startsWith(place)))
      .map((place) => `\`${place}\` does not use \`${name}\``)
  })
}
