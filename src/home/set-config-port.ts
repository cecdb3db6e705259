/**
 * Writes the one setting that `pawl init` decides: the port that hooks over HTTP need.
 */
import { addMember, removeValue } from '../core/source/edit-json.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { type Home, openHome } from './home.ts'
import { readPrivate, writePrivate } from './private-file.ts'

/** Sets the port in a file whose other lines stay as a person wrote them. */
export function setConfigPort(home: Home, port: number): void {
  openHome(home)
  const text = readPrivate(home.config) ?? '{}\n'
  const without = removeValue(text, ['port']) ?? text
  const next = addMember(without, ['port'], port)
  if (next === null) {
    throw new PawlError('CONFIG_INVALID', `\`${home.config}\` cannot be changed`, {
      hint: `write \`"port": ${port}\` into it yourself`,
    })
  }
  writePrivate(home.config, next)
}
