/**
 * Writes a value as YAML 1.2 that reads back as the same value.
 */
import { stringify } from 'yaml'
import type { Json } from '../json.ts'

const lineCharsMax = 100

/** The value as a YAML text. Nothing is shared by anchors: what is written twice stands twice. */
export function printYaml(value: Json): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: lineCharsMax })
}
