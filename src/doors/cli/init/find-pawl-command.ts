/**
 * What a person types to call this very Pawl, which may not be on their PATH.
 */
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

type Caller = {
  /** The file of the program, `main/pawl.js` in `dist` or its source. */
  readonly program: string
  readonly env: Readonly<Record<string, string | undefined>>
}

type PawlCommand = {
  readonly text: string
  /** How to have it on the PATH; null: it is there. */
  readonly remark: string | null
}

/** The command by which a person reaches this Pawl. */
export function findCommand({ program, env }: Caller): PawlCommand {
  const root = join(program, '..', '..', '..')
  const checkout = join(root, 'pawl')
  const ours = [checkout, join(root, 'bin', 'pawl.mjs')].filter(existsSync).map(realOf)
  const isOurs = (folder: string): boolean => ours.includes(realOf(join(folder, 'pawl')))
  if ((env.PATH ?? '').split(delimiter).filter(isLasting).some(isOurs)) {
    return { text: 'pawl', remark: null }
  }
  if (existsSync(checkout)) {
    const how = `ln -s ${checkout} ~/.local/bin/pawl`
    return { text: checkout, remark: `to type \`pawl\` instead, put it on your PATH: \`${how}\`` }
  }
  return { text: 'npx pawl', remark: 'to type `pawl` instead, install it with `npm install -g`' }
}

/** WHY: `npx` and `npm run` put folders on the PATH that are gone when they end. */
function isLasting(folder: string): boolean {
  return isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder)
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : ''
}
