import { expect, test } from 'vitest'
import {
  claimRows,
  conformancePage,
  conformanceProblems,
  differenceProblems,
  listConformanceTests,
  repeatedClaims,
} from './write-conformance.ts'

test('conformance.md and differences.md agree with the tests (`npm run conformance`)', () => {
  expect(conformanceProblems(listConformanceTests())).toEqual([])
})

const file = 'test/conformance/process.test.ts'
const claim = 'process definitions › Answer fields › “next | string” › a < b and `x|y`'
const rows = claimRows([
  { name: `outer > ${claim}`, file },
  { name: 'step workflows › Steps › “id” › it is kept › differs: own-ids', file },
  { name: 'a test that quotes nothing', file },
])

test('a claim is a row of its document, with its section, quote, check, test and result', () => {
  const text = conformancePage(rows)
  const link = '`process`'
  expect(text).toContain(
    `| Answer fields | “next \\| string” | a &lt; b and \`x\\|y\` | ${link} | holds |`,
  )
  expect(text).toContain(
    `| Steps | “id” | it is kept | ${link} | [differs](differences.md#own-ids) |`,
  )
  expect(text).toContain('| [Step workflows](#step-workflows) | 1 | 0 | 1 |')
})

test('differences without a row, an anchor or a claim are named', () => {
  const head = '| Difference | Why | The old behaviour |\n|---|---|---|\n'
  const row = (id: string): string => `| <a id="${id}"></a>x | y | z |\n`
  expect(differenceProblems(rows, head + row('own-ids'))).toEqual([])
  expect(differenceProblems(rows, head)).toEqual(['no row for `own-ids`'])
  expect(differenceProblems(rows, head + row('own-ids') + row('other'))).toEqual([
    'no claim shows `other`',
  ])
  expect(differenceProblems(rows, `${head}| x | y | z |\n${row('own-ids')}`)).toEqual([
    'a row of differences.md has no <a id="…"></a>: | x | y | z |',
  ])
})

test('a claim that is made twice in the same words is named', () => {
  expect(repeatedClaims(rows)).toEqual([])
  expect(
    repeatedClaims(
      claimRows([
        { name: claim, file },
        { name: claim, file },
      ]),
    ),
  ).toHaveLength(1)
})
