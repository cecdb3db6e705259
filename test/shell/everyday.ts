/**
 * The everyday commands, each group with the list that it is meant for.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type EverydayGroup = {
  readonly kind: string
  readonly allowed_commands: readonly string[]
  readonly commands: readonly string[]
}

const file = join(import.meta.dirname, '..', 'fixtures', 'everyday-commands.json')

/** In the style of real projects' READMEs, scripts, Makefiles and CI files. */
export const everyday: readonly EverydayGroup[] = JSON.parse(readFileSync(file, 'utf8'))
