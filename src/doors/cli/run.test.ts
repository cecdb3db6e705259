import { expect, test } from 'vitest'
import { folderOf, runIn } from './fake-io.contract.ts'
import { verbs } from './verbs.ts'

test('help lists every verb and ends well', async () => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    const { code, out, err } = await runIn('/', args)
    expect([code, err]).toEqual([0, ''])
    for (const verb of verbs) expect(out).toContain(`  ${verb.name}`)
  }
})

test('each verb has its own help, and the table says what the verb says', async () => {
  for (const entry of verbs) {
    const verb = await entry.load()
    expect([verb.name, verb.summary]).toEqual([entry.name, entry.summary])
    for (const args of [
      [entry.name, '--help'],
      ['help', entry.name],
      [entry.name, 'x', '-h'],
    ]) {
      const { code, out } = await runIn('/', args)
      expect(code, args.join(' ')).toBe(0)
      expect(out.trim()).toBe(verb.help.trim())
    }
  }
})

test('nothing to do is told with the list of verbs, and is not a success', async () => {
  const { code, out, err } = await runIn('/', [])
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('Usage: pawl VERB')
})

test('the version is that of the package', async () => {
  const { code, out } = await runIn('/', ['--version'])
  expect(code).toBe(0)
  expect(out).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
})

test('an unknown verb is refused with the one that was meant', async () => {
  const { code, out, err } = await runIn('/', ['chekc', 'x.json'])
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('there is no verb `chekc`')
  expect(err).toContain('`pawl check`')
})

test('a verb that no word comes near to is refused with where to look', async () => {
  const { code, err } = await runIn('/', ['constructor'])
  expect(code).toBe(2)
  expect(err).toContain('`pawl --help`')
})

test('an unknown option is refused with the one that was meant', async () => {
  const { code, err } = await runIn('/', ['check', '--strct', 'x.json'])
  expect(code).toBe(2)
  expect(err).toContain('`--strict`')
})

test('options that every object inherits are unknown', async () => {
  for (const option of ['--constructor', '--__proto__', '--toString=1', '-x']) {
    const { code, err } = await runIn('/', ['check', option])
    expect(code, option).toBe(2)
    expect(err, option).toContain('has no option')
  }
})

test('an option without its value, and a flag with one, are refused', async () => {
  for (const args of [['--format'], ['--format', '--strict'], ['--format='], ['--strict=1']]) {
    const { code, err } = await runIn('/', ['check', ...args])
    expect(code, args.join(' ')).toBe(2)
    expect(err, args.join(' ')).toMatch(/needs a value|takes no value/)
  }
})

test('what stands behind `--` is a file, whatever it looks like', async () => {
  const folder = folderOf({ '--help': '{}' })
  const { code, out } = await runIn(folder, ['check', '--', '--help'])
  expect(code).toBe(1)
  expect(out).toContain('SCHEMA_INVALID')
})

test('control characters of a name do not reach the terminal', async () => {
  const { code, err } = await runIn('/', ['che\u001b[31mck'])
  expect(code).toBe(2)
  expect(err).not.toContain('\u001b')
})
