/**
 * What models cost in a workspace: the settings of the machine, and `.pawl/prices.json` over them.
 * A file that cannot be read makes every model as dear as the dearest: a budget must not fail open.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readShape } from '../core/dialects/shape.ts'
import { pricesFileSchema } from '../core/policy/prices-schema.ts'
import { dearestPrices, type PriceTable, withPrices } from '../core/prices.ts'
import { placeOf, positionAt } from '../core/source/source.ts'
import { openFreshFolders } from './fresh-folders.ts'
import { PawlError } from './pawl-error.ts'
import { readDefinition } from './read-definition.ts'

export type Prices = (workspace: string | null) => PriceTable

type Options = {
  /** Those of the machine. */
  readonly base: PriceTable
  readonly now: () => number
  /** Is told of a file that cannot be read, once for each time it changes. */
  readonly remark: (why: string) => void
}

const fileName = 'prices.json'

export function openPrices({ base, now, remark }: Options): Prices {
  const inFolder = openFreshFolders<PriceTable>({
    names: [fileName],
    now,
    read: (folder) => {
      try {
        return readPrices(folder, base)
      } catch (fault) {
        remark(fault instanceof Error ? fault.message : String(fault))
        return dearestPrices(base)
      }
    },
  })
  return (workspace) => (workspace === null ? base : inFolder(join(workspace, '.pawl')))
}

/** Fault `CONFIG_INVALID`: the file is there and cannot be understood. */
export function readPrices(folder: string, base: PriceTable): PriceTable {
  const path = join(folder, fileName)
  if (!existsSync(path)) return base
  const { root, findings, lines } = readDefinition(path)
  const shape = root === null ? null : readShape(pricesFileSchema, root)
  const first = [...findings, ...(shape?.findings ?? [])].find((one) => one.severity === 'error')
  if (first === undefined && shape?.value != null) return withPrices(shape.value.prices, base)
  const range = first === undefined ? null : placeOf(root, first)
  const where = range === null ? '' : `, line ${positionAt(lines, range.start).line}`
  const what = first?.message ?? 'it is no JSON object'
  const hint = `put it right (\`pawl check ${path}\`); until then every model counts as the dearest`
  throw new PawlError('CONFIG_INVALID', `\`${path}\`${where}: ${what}`, { hint })
}
