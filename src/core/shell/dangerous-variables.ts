/**
 * Variables that change which program runs under a name, which code it loads, or which server it
 * trusts. Setting one before a listed command means running something else. Which ones these are
 * stands in `dangerous-variables.json`: names, families of names, members of those families that
 * only change how something looks, and values that keep a dangerous one harmless.
 * Knows names and values, not commands.
 */

import table from './dangerous-variables.json' with { type: 'json' }
import { isSourceFile } from './file-names.ts'

const namesIn = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(' ')))

const exact = namesIn(table.exact)
const harmless = namesIn(table.harmless)
const families: readonly RegExp[] = [
  ...table.families.map((family) => new RegExp(family)),
  ...table.familiesInAnyCase.map((family) => new RegExp(family, 'i')),
]

type TameValue = {
  readonly name: RegExp
  /** The value as a whole, or each of its words. */
  readonly value: RegExp
  readonly isEachWord: boolean
  /** Letters of options whose value may be the next word: `-C x` is `-Cx`. */
  readonly joins: RegExp | null
}

const tameValues: readonly TameValue[] = table.tameValues.map(({ name, value, parts, joins }) => ({
  name: new RegExp(name),
  value: new RegExp(value ?? parts ?? '(?!)'),
  isEachWord: parts !== undefined,
  joins: joins === undefined ? null : new RegExp(`(^|\\s)(-${joins})\\s+`, 'g'),
}))

const outputFile = new RegExp(table.outputs.files)
const outputFolder = new RegExp(table.outputs.folders)
const outputPlace = new RegExp(table.outputs.places)

/**
 * Whether setting this variable can make another program or other code run, or a listed one write
 * to where nothing should be written.
 */
export function changesWhatRuns(name: string, value: string | null): boolean {
  if (harmless.has(name)) return false
  const isFile = outputFile.test(name)
  if (!exact.has(name) && (isFile || outputFolder.test(name))) {
    // Folders of caches are often `$HOME/…`; a report could be put over anything.
    return value === null ? isFile : !outputPlace.test(value) || isSourceFile(value)
  }
  if (!exact.has(name) && !families.some((family) => family.test(name))) return false
  const tame = value === null ? undefined : tameValues.find((one) => one.name.test(name))
  return value === null || tame === undefined || !isTame(value, tame)
}

function isTame(text: string, { value, isEachWord, joins }: TameValue): boolean {
  if (!isEachWord) return value.test(text)
  const joined = joins === null ? text : text.replace(joins, '$1$2').replace(longOption, '$1=')
  return joined
    .trim()
    .split(/\s+/)
    .every((part) => value.test(part))
}

/** `--cfg x` is `--cfg=x`. */
const longOption = /(\s--[a-z-]+|^--[a-z-]+)\s+/g
