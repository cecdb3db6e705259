/** Our hooks among the settings of Kimi Code, whoever has written that file last. */
import { expect, test } from 'vitest'
import { addBlock } from './marked-block.ts'
import { faultOfHooks, ownHooks, removeHooks } from './toml-hooks.ts'

const path = 'config.toml'
const lines = ['PreToolUse', 'Stop'].flatMap((event) => [
  '[[hooks]]',
  `event = "${event}"`,
  `command = "'/data/bin/pawl-hook' kimi --user || exit 2"`,
  'timeout = 60',
])
const theirs = '[[hooks]]\nevent = "Stop"\ncommand = "true"\n'

const without = (text: string): string => removeHooks({ path, text })

test('hooks are found by their command where the marks are gone', () => {
  const written = `a = 1\n\n${lines.join('\n').replace('\n[[', '\n\n[[')}\n\n[b]\nc = 2\n`
  expect(ownHooks({ path, text: written })).toHaveLength(2)
  expect(without(written)).toBe('a = 1\n\n[b]\nc = 2\n')
})

test('hooks of others stay, between ours and beside them', () => {
  const block = addBlock(theirs, 'kimi', lines).replace(
    '[[hooks]]\nevent = "Stop"\ncommand = "\'',
    (one) => {
      return `${theirs}${one}`
    },
  )
  expect(without(`${block}${theirs}`)).toBe(`${theirs}${theirs}${theirs}`)
})

test.each([
  ['# <<< pawl\n', ''],
  ['# <<< pawl\n', '# <<< pawl  \n'],
  [/# >>> pawl.*\n/, ''],
])('a mark that was lost or changed takes nothing with it: %s', (mark, instead) => {
  const mine = '[providers.mine]\napi_key = "secret"\n'
  const damaged = `${addBlock('a = 1\n', 'kimi', lines).replace(mark, instead)}${mine}`
  expect(without(damaged)).toBe(`a = 1\n${mine}`)
  expect(without(addBlock(damaged, 'kimi', lines))).toBe(`a = 1\n${mine}`)
})

test('remarks between our lines stay', () => {
  const text = addBlock('', 'kimi', lines).replace('timeout', '# mine\ntimeout')
  expect(without(text)).toBe('# mine\n')
})

test.each([
  `s = """\n${lines.join('\n')}\n"""\n`,
  's = """\n# <<< pawl\n"""\n',
  `hooks = [{ event = "Stop", command = "'/data/bin/pawl-hook' kimi" }]\n`,
])('what cannot be told apart is an error with its place: %j', (text) => {
  expect(() => without(`a = 1\n${text}`)).toThrow(/^config\.toml:[235]:\d+: /)
})

test('a text that cannot be parsed is an error with its place', () => {
  expect(() => without('a = 1\nb = = 2\n')).toThrow(/^config\.toml:2:5: /)
})

test.each([
  ['', null],
  ['hooks = []', null],
  ['hooks = 1', '`hooks` is not a list of tables'],
  ['[hooks]\na = 1', '`hooks` is not a list of tables'],
  ['hooks = [1]', 'number 1 of `[[hooks]]` is not a table'],
  [`${theirs}matcher = "x"\ntimeout = 600`, null],
  [
    `${theirs}${theirs}name = "x"`,
    'number 2 of `[[hooks]]` has `name`, which Kimi Code does not know',
  ],
  [`${theirs}constructor = "x"`, expect.stringContaining('`constructor`')],
  ['[[hooks]]\nevent = "Stop"', 'number 1 of `[[hooks]]` has no `command`'],
  ['[[hooks]]\nevent = "Sometimes"\ncommand = "x"', expect.stringContaining('`event`')],
  [`${theirs}timeout = 601`, expect.stringContaining('`timeout`')],
  [`${theirs}timeout = 1.5`, expect.stringContaining('`timeout`')],
  [`${theirs}matcher = 1`, expect.stringContaining('`matcher`')],
])('why Kimi Code drops all hooks: %j', (text, fault) => {
  expect(faultOfHooks({ path, text })).toEqual(fault)
})
