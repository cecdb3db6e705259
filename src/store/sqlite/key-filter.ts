/**
 * Which texts may have been added: sometimes more than were, never fewer.
 * Spares a look into the database for nearly every command, since nearly every command is new.
 * WHY not the texts themselves: thousands of them that come and go, of every run, were a sixth of a
 * command.
 */
export type KeyFilter = {
  readonly add: (key: Key) => void
  readonly mayHave: (key: Key) => boolean
}

/** What is remembered of a text: 32 bits, never 0. */
export type Key = number

/** FNV-1a, with its last bits spread. Who finds texts that collide makes only their own slower. */
export function keyOf(text: string): Key {
  let mixed = 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(at), 0x01000193)
  }
  // WHY never 0: it stands for an empty place.
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) || 1
}

/** Enough that of 10 000 texts two in a hundred others are looked for in vain. */
const bitsCount = 131_072

/** For any number of texts: the more there are, the more others are looked for in vain. */
export function openKeyFilter(): KeyFilter {
  // WHY not at once: most runs never come to so many commands that one is added.
  let words = nothing
  const has = (bit: number): boolean => ((words[bit >>> 5] ?? 0) & (1 << (bit & 31))) !== 0
  const set = (bit: number): void => {
    words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31))
  }
  return {
    add: (key) => {
      if (words === nothing) words = new Uint32Array(bitsCount / 32)
      set(firstBit(key))
      set(secondBit(key))
    },
    mayHave: (key) => has(firstBit(key)) && has(secondBit(key)),
  }
}

const nothing = new Uint32Array(0)
const firstBit = (key: Key): number => key & (bitsCount - 1)
const secondBit = (key: Key): number => Math.imul(key, 0x9e3779b1) >>> 15

/** For few texts: it grows with them, and next to none is looked for in vain. */
export type KeyList = KeyFilter & {
  readonly size: () => number
  /** Adds all keys to another one, and is empty then. */
  readonly moveTo: (other: KeyFilter | null) => void
}

const slotsMin = 64

export function openKeyList(): KeyList {
  let slots = new Int32Array(slotsMin)
  let size = 0
  /** Where the key is, or would be; an empty place has 0. */
  const placeOf = (key: Key): number => {
    const last = slots.length - 1
    let at = key & last
    while (slots[at] !== 0 && slots[at] !== key) at = (at + 1) & last
    return at
  }
  const add = (key: Key): void => {
    const at = placeOf(key)
    if (slots[at] !== 0) return
    slots[at] = key
    size += 1
    // INVARIANT: half of the places are empty, so that every search ends, and soon.
    if (size * 2 > slots.length) grow()
  }
  const grow = (): void => {
    const before = slots
    slots = new Int32Array(before.length * 2)
    size = 0
    for (const key of before) if (key !== 0) add(key)
  }
  return {
    add,
    mayHave: (key) => slots[placeOf(key)] !== 0,
    size: () => size,
    moveTo: (other) => {
      if (other !== null) for (const key of slots) if (key !== 0) other.add(key)
      slots.fill(0)
      size = 0
    },
  }
}
