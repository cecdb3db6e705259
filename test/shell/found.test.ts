/**
 * What the fuzzer and the hunt by hand found, as classes: each command here was once let through
 * and started a program that was on no list. Beside them ordinary neighbours that must pass.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ListName, lists } from '../../scripts/shell-fuzz/allow-lists.ts'
import { readShell } from '../../src/core/shell/read-shell.ts'
import { ruleOnCommands } from '../../src/core/shell/rule-on-commands.ts'

type Class = { readonly why: string; readonly list: ListName; readonly commands: string[] }

const file = join(import.meta.dirname, 'found-commands.json')
const { denied, allowed } = JSON.parse(readFileSync(file, 'utf8')) as {
  denied: Class[]
  allowed: Class[]
}

test.each(denied)('denied: $why', ({ list, commands }) => {
  const passed = commands.filter((one) => ruleOnCommands(readShell(one), lists[list]) === null)
  expect(passed).toEqual([])
})

test.each(allowed)('allowed: $why', ({ list, commands }) => {
  const stopped = commands.flatMap((one) => {
    const denial = ruleOnCommands(readShell(one), lists[list])
    return denial === null ? [] : [`${one} → ${denial.reason}`]
  })
  expect(stopped).toEqual([])
})
