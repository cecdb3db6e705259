/**
 * Which texts may have been added: sometimes more than were, never fewer.
 * Spares a look into the database for nearly every command, since nearly every command is new.
 */
export type KeyFilter = {
  readonly add: (text: string) => void
  readonly mayHave: (text: string) => boolean
}

/** Enough that of 10 000 texts two in a hundred others are looked for in vain. */
const bitsCount = 131_072

export function openKeyFilter(): KeyFilter {
  // WHY not at once: most runs never come to so many commands that one is added.
  let words = nothing
  const has = (bit: number): boolean => ((words[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0
  const set = (bit: number): void => {
    words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }
  return {
    add: (text) => {
      if (words === nothing) words = new Uint32Array(bitsCount / 32)
      const mixed = mix(text)
      set(firstBit(mixed))
      set(secondBit(mixed))
    },
    mayHave: (text) => {
      const mixed = mix(text)
      return has(firstBit(mixed)) && has(secondBit(mixed))
    },
  }
}

const nothing = new Uint32Array(0)
const firstBit = (mixed: number): number => mixed & (bitsCount - 1)
const secondBit = (mixed: number): number => Math.imul(mixed, 0x9e3779b1) >>> 15

/** FNV-1a, with its last bits spread. Who finds texts that collide makes only their own slower. */
function mix(text: string): number {
  let mixed = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193)
  }
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
}
