/**
 * Prices of models in a workspace: those of the machine's settings, or higher ones from
 * `.pawl/prices.json`.
 * WHY never lower: a job can write that file, or a clone can contain it. If the file cannot be
 * read, every model counts as the most expensive one: a budget must not fail open.
 */
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readTree } from '../../core/dialects/validate-tree.ts'
import { pricesFileSchema } from '../../core/policy/prices-schema.ts'
import { highestPrices, type PriceTable, raisePrices } from '../../core/prices.ts'
import { positionAt, positionOf } from '../../core/source/source.ts'
import { readWorkspaceDefinition } from '../definitions/read-definition.ts'
import { openWatchedFiles } from '../definitions/watched-files.ts'
import { errorMessageOf } from '../error-code.ts'
import { PawlError } from '../pawl-error.ts'

export type Prices = (workspace: string | null) => PriceTable

type Options = {
  /** Those of the machine. */
  readonly base: PriceTable
  readonly now: () => number
  /** Is told of a file that cannot be read, once for each time it changes. */
  readonly remark: (why: string) => void
}

const fileName = 'prices.json'
/** Folders that cannot be looked into and were told of. */
const toldMax = 1_000

export function openPrices({ base, now, remark }: Options): Prices {
  const inFolder = openWatchedFiles<PriceTable>({
    names: [fileName],
    now,
    read: (folder) => {
      try {
        return readPrices(folder, base)
      } catch (fault) {
        remark(errorMessageOf(fault))
        return highestPrices(base)
      }
    },
  })
  const told = new Set<string>()
  return (workspace) => {
    if (workspace === null) return base
    try {
      return inFolder(join(workspace, '.pawl'))
    } catch (fault) {
      // WHY here as well: already the look whether the file has changed can be a fault.
      const why = errorMessageOf(fault)
      if (!told.has(why) && told.size < toldMax) {
        told.add(why)
        remark(why)
      }
      return highestPrices(base)
    }
  }
}

/** Fault `CONFIG_INVALID`: the file is there and cannot be understood. */
export function readPrices(folder: string, base: PriceTable): PriceTable {
  const path = join(folder, fileName)
  if (!isThere(path)) return base
  const { root, findings, lines } = readWorkspaceDefinition(path, dirname(folder))
  const shape = root === null ? null : readTree(pricesFileSchema, root)
  const first = [...findings, ...(shape?.findings ?? [])].find((one) => one.severity === 'error')
  if (first === undefined && shape?.value != null) return raisePrices(shape.value.prices, base)
  const range = first === undefined ? null : positionOf(root, first)
  const where = range === null ? '' : `, line ${positionAt(lines, range.start).line}`
  const what = first?.message ?? 'it is not a JSON object'
  throw new PawlError('CONFIG_INVALID', `\`${path}\`${where}: ${what}`, { hint: hintFor(path) })
}

function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    const message = `\`${path}\` cannot be read: ${errorMessageOf(cause)}`
    throw new PawlError('CONFIG_INVALID', message, { hint: hintFor(path), cause })
  }
}

function hintFor(path: string): string {
  return `fix it (\`pawl check ${path}\`); until then every model counts as the most expensive one`
}
