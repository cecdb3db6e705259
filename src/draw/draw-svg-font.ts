/**
 * How wide text is, from the metrics of Helvetica and Arial: an SVG cannot measure by itself.
 * Knows characters and sizes. Must not know pictures.
 */
import { isNoCell, isWideCharacter } from '../core/draw/label-text.ts'

export type Font = { readonly sizePx: number; readonly weight: 'regular' | 'bold' }

/** The width in pixels; characters beyond ASCII are guessed generously. */
export function widthOf(text: string, font: Font): number {
  const table = tables[font.weight]
  let units = 0
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    if (isNoCell(char)) continue
    units += table[code - firstCode] ?? special[char] ?? (isWideCharacter(char) ? 1000 : otherUnits)
  }
  return (units * font.sizePx) / 1000
}

const firstCode = 32
const otherUnits = 620
const special: { readonly [char: string]: number } = { '…': 1000, '·': 278, '≤': 549, '≥': 549 }

// Units of a thousandth of the size, from code 32 (space) to 126 (tilde).
const tables = {
  regular: numbers(
    `278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278
     556 556 556 556 556 556 556 556 556 556 278 278 584 584 584 556 1015
     667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944
     667 667 611 278 278 278 469 556 333
     556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722
     500 500 500 334 260 334 584`,
  ),
  bold: numbers(
    `278 333 474 556 556 889 722 238 333 333 389 584 278 333 278 278
     556 556 556 556 556 556 556 556 556 556 333 333 584 584 584 611 975
     722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944
     667 667 611 333 278 333 584 556 333
     556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778
     556 556 500 389 280 389 584`,
  ),
}

function numbers(text: string): number[] {
  return text.split(/\s+/u).map(Number)
}
