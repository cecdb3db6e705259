/**
 * How much text Pawl reads at all. Chosen so that the worst text is answered within a second.
 * Measured values: docs/adr/0003-reading-definitions.md.
 */
import type { Finding } from '../finding.ts'
import { finding } from '../finding.ts'

export const jsonBytesMax = 4 * 1024 * 1024
/** YAML is far slower to read than JSON. */
export const yamlBytesMax = 512 * 1024
/** Words and marks of a YAML text: what its reading time depends on. */
export const yamlTokensMax = 50_000
/** Objects and lists inside each other. */
export const sourceDepthMax = 100
/** Values in one file, aliases written out. */
export const sourceNodesMax = 250_000
/** Members of one object or list. */
export const sourceMembersMax = 10_000
/** Remarks about one file; what is beyond is more of the same. */
export const findingsMax = 200

/** The error for a text beyond a limit. */
export function tooLarge(pointer: string, offset: number, message: string): Finding {
  const hint = 'split the definition, or remove generated parts'
  const error = finding('SIZE_EXCEEDED', pointer, { message, hint })
  return offset < 0 ? error : { ...error, offset }
}

/** Bytes of a text in UTF-8, counted no further than needed. */
export function utf8Bytes(text: string, bytesMax: number): number {
  if (text.length > bytesMax) return text.length
  let bytes = text.length
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code < 0x80) continue
    // A pair of surrogates is two units and four bytes, so each half adds one.
    bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2
  }
  return bytes
}
