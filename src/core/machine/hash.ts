/**
 * Content hashes: of a machine a run is pinned to, of the move or call an approval is bound to.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Json } from '../json.ts'
import { canonicalJson } from '../json.ts'
import type { Machine } from './machine.ts'

/** `sha256:` and the hash of the one canonical spelling of a value. */
export function hashJson(value: Json): string {
  return hashText(canonicalJson(value))
}

/**
 * A machine with the hash of all its other content but the origins of its rules.
 * WHY not the canonical spelling: the author's order is content here. It is the order in which
 *     signals are shown and stages drawn, and a compiler writes its own fields in one order.
 */
export function sealMachine(machine: Omit<Machine, 'hash'>): Machine {
  // WHY without origins: they came later, and a definition keeps the hash that runs are pinned to.
  const { origins: _, ...content } = machine
  return { ...machine, hash: hashText(JSON.stringify(content)) }
}

function hashText(text: string): string {
  return `sha256:${bytesToHex(sha256(utf8ToBytes(text)))}`
}
