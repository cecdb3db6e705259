/** Cutting values, compared with what bash prints for the same expansion. */
import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { cutBy, isCutPattern } from './cut-value.ts'

const values = ['src/a.b.ts', 'x-o', '--out=x', 'aaa', '', 'a\nb', 'v1.2']
const patterns = ['*/', '*.', '.*', 'a*', '?', 'x', 'v', '*', '', 'a?', '.ts']

test('a value is cut as bash cuts it', () => {
  for (const operator of ['#', '##', '%', '%%']) {
    const expected = spawnSync(
      'bash',
      [
        '-c',
        values.map((_, i) => patterns.map((one) => printing(i, operator, one)).join('')).join(''),
      ],
      { encoding: 'utf8', env: Object.fromEntries(values.map((value, i) => [`V${i}`, value])) },
    ).stdout.split('\u0001')
    const cut = values.flatMap((value) => patterns.map((one) => cutBy(operator, one, value)))
    expect(cut).toEqual(expected.slice(0, -1))
  }
})

function printing(index: number, operator: string, pattern: string): string {
  return `printf '%s\\001' "\${V${index}${operator}${pattern}}";`
}

test('patterns with quotes, sets, expansions or several stars are not known', () => {
  for (const one of ['"a"', '[ab]', '$x', '`x`', '\\a', '@(a)', '*a*']) {
    expect(isCutPattern(one), one).toBe(false)
  }
})
