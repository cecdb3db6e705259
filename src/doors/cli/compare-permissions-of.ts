/** `pawl check FILE --against FILE`: what one version of a definition permits beyond another. */
import { compareDefinitions } from '../../core/machine/compare-permissions.ts'
import type { Machine } from '../../core/machine/machine.ts'
import type { PermissionChange } from '../../core/machine/permission-change.ts'
import { openLibraries } from '../../runtime/definitions/definition-library.ts'
import { PawlError } from '../../runtime/pawl-error.ts'
import { checkFile } from './check-file.ts'
import { findInputs, readInput } from './find-inputs.ts'
import type { Io } from './io.ts'
import { usage } from './options.ts'

type Printing = { readonly io: Io; readonly format: string; readonly isStrict: boolean }

const words = { loosens: 'loosens', unclear: 'may loosen', tightens: 'tightens' } as const
const wordWidth = 10

/** Prints the changes; with `--strict`, whatever may loosen is an error. */
export function comparePermissionsOf(
  [against = '', ...files]: readonly string[],
  { io, format, isStrict }: Printing,
): number {
  const [name] = files
  if (name === undefined || files.length > 1) {
    throw usage('check', 'name one file to compare with `--against`')
  }
  if (format !== 'text' && format !== 'json') {
    throw usage('check', '`--against` prints text or JSON')
  }
  const changes = compareDefinitions(machinesIn(against, io), machinesIn(name, io))
  if (format === 'json') io.out(`${JSON.stringify({ changes }, null, 2)}\n`)
  else io.out(changes.length === 0 ? 'no permission changes\n' : changes.map(lineOf).join(''))
  const isLoose = changes.some(({ effect }) => effect !== 'tightens')
  return isStrict && isLoose ? 1 : 0
}

function lineOf({ effect, stage, text }: PermissionChange): string {
  return `${words[effect].padEnd(wordWidth)}  ${stage ?? 'every stage'}: ${text}\n`
}

function machinesIn(name: string, io: Io): readonly Machine[] {
  const { inputs, faults } = findInputs([name], io.cwd, () => true)
  const [fault] = faults
  if (fault !== undefined) throw fault
  const [input] = inputs
  if (input === undefined) throw new PawlError('USAGE', `no definition found in \`${name}\``)
  const file = readInput(input)
  if (file instanceof PawlError) throw file
  const { machines } = checkFile(file, openLibraries(new Map([[input.path, file]]))(input.path))
  if (machines.length > 0) return machines
  throw new PawlError('USAGE', `\`${name}\` has errors, and cannot be compared`, {
    hint: `run \`pawl check ${name}\``,
  })
}
