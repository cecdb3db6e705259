/**
 * Names that only look like other names: characters of other alphabets, invisible marks, wide
 * forms. Such a name never matches an allowed name that it looks like, but it does match a denied
 * one.
 */

/** Letters that most typefaces draw like a letter of ASCII, after compatibility folding. */
const twins: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аɑα',
    b: 'Ьᖯ',
    c: 'сϲᴄ',
    d: 'ԁɗᑯ',
    e: 'еєҽ℮',
    f: 'ſẝ',
    g: 'ɡցǥ',
    h: 'һհ',
    i: 'іɩιıӏ',
    j: 'јϳ',
    k: 'кκ',
    l: 'ⅼǀןᛁ',
    m: 'м',
    n: 'пոռ',
    o: 'оοօσ',
    p: 'рρ',
    q: 'ԛգ',
    r: 'гᴦ',
    s: 'ѕꜱ',
    t: 'тτ',
    u: 'υսʋ',
    v: 'ѵνᴠ',
    w: 'ԝѡᴡɯ',
    x: 'хχ×',
    y: 'уүγʏ',
    z: 'ᴢʐ',
    A: 'АΑ',
    B: 'ВΒ',
    C: 'СϹ',
    E: 'ЕΕ',
    H: 'НΗ',
    I: 'ІΙ',
    J: 'Ј',
    K: 'КΚ',
    M: 'МΜ',
    N: 'Ν',
    O: 'ОΟ',
    P: 'РΡ',
    S: 'Ѕ',
    T: 'ТΤ',
    X: 'ХΧ',
    Y: 'ҮΥ',
    Z: 'Ζ',
    ':': 'ː։׃∶꞉',
    _: 'ˍ‗',
    '-': '‐‑‒–—−',
    '.': '․',
    '*': '∗⁎',
  }).flatMap(([letter, others]) => [...others].map((other) => [other, letter] as const)),
)

const plainName = /^[!-~]*$/

/** Letters of a name that is looked at so closely; longer ones are never a tool's. */
const nameCharsMax = 4096

/** The plain name that this one resembles; null: it is plain itself, or like nothing else. */
export function lookalikeName(name: string): string | null {
  if (plainName.test(name)) return null
  const folded = name
    .slice(0, nameCharsMax)
    .normalize('NFKD')
    .replace(/[\p{M}\p{C}\p{Z}]/gu, '')
  let plain = ''
  for (const letter of folded) plain += twins.get(letter) ?? letter
  return plain === name ? null : plain
}
