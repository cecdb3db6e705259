/** The options in the help of each verb are those that it reads. */
import { expect, test } from 'vitest'
import { runIn } from './fake-io.contract.ts'
import { optionsOf, subcommandsOf } from './help.ts'
import { verbs } from './verbs.ts'

/** It reads the input of its host and takes no options. */
const hostVerbs = ['statusline']

test.each(verbs.filter((one) => !hostVerbs.includes(one.name)))(
  'the help of `$name` lists every option that it reads, and no other',
  async ({ name, load }) => {
    const { help } = await load()
    const read = new Set<string>()
    // The answer to an unknown option, which is given before a verb does anything, lists all.
    for (const words of [[], ...subcommandsOf(help).map((one) => [one])]) {
      const { code, err } = await runIn('/', [name, ...words, '--qqqqqqqqqqqqqqqqqqqq'])
      expect([code, err], [name, ...words].join(' ')).toEqual([2, expect.stringContaining('see `')])
      for (const [option] of err.matchAll(/(?<=`)--[a-z-]+(?=`[,;])/g)) read.add(option)
    }
    const listed = optionsOf(help).map(([option]) => option)
    expect([...read].sort()).toEqual([...listed].sort())
    expect(new Set(listed).size).toBe(listed.length)
  },
)
