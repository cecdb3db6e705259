/**
 * The folders of Pawl itself, which no call of an agent may reach.
 */
import { realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Home } from './home.ts'

/** Where the tokens, the database and the socket are, under every name. */
export function pawlFolders({ folder, socketFolder }: Home): readonly string[] {
  const folders = socketFolder === null ? [folder] : [folder, socketFolder]
  return [...new Set(folders.flatMap((one) => namesOfFolder(one, realpathSync(one))))]
}

/** A path, the one without links, and what a shell makes it of. */
export function namesOfFolder(path: string, real: string): readonly string[] {
  const user = userInfo().homedir
  const below = path.startsWith(`${user}/`) ? path.slice(user.length) : null
  const short = below === null ? [] : [`~${below}`, `$HOME${below}`, `\${HOME}${below}`]
  return [path, real, ...short]
}
