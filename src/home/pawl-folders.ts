/**
 * The folders of Pawl itself, which no call of an agent may reach.
 */
import { realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import type { Home } from './home.ts'

/** Where the tokens, the database and the socket are, under every name. */
export function pawlFolders({ folder, socketFolder }: Home): readonly string[] {
  const folders = socketFolder === null ? [folder] : [folder, socketFolder]
  const user = userInfo().homedir
  const named = folders.flatMap((one) => {
    const below = one.startsWith(`${user}/`) ? one.slice(user.length) : null
    const short = below === null ? [] : [`~${below}`, `$HOME${below}`, `\${HOME}${below}`]
    return [one, realpathSync(one), ...short]
  })
  return [...new Set(named)]
}
