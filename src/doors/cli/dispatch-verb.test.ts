import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, runIn } from './fake-io.contract.ts'
import { helpText, optionsOf, subcommandsOf } from './help.ts'
import { verbs } from './verbs.ts'

const root = join(import.meta.dirname, '../../..')

test('help lists the verbs in their groups, those of hosts only when asked', async () => {
  for (const args of [['--help'], ['-h'], ['help']]) {
    const { code, out, err } = await runIn('/', args)
    expect([code, err]).toEqual([0, ''])
    for (const { name, isInternal } of verbs) {
      expect(out.includes(`\n  ${name} `), name).toBe(isInternal !== true)
    }
    expect(out.match(/^\w+:$/gm)).toEqual([
      ...['Author:', 'Run:', 'Decide:', 'Agents:', 'Jobs:', 'Admin:', 'Options:'],
    ])
    const all = await runIn('/', [...args, '--all'])
    for (const { name } of verbs) expect(all.out).toContain(`\n  ${name} `)
  }
})

test('the help of every verb has the same layout', async () => {
  for (const { name, summary, load } of verbs) {
    const { out } = await runIn('/', ['help', name])
    expect(out.split('\n')[0]).toBe(`pawl ${name}: ${summary}`)
    const sections = ['Usage:', 'Options:', 'Examples:', 'Exit codes:']
    const found = out.match(/^[A-Z][a-z ]+:$/gm)?.filter((one) => sections.includes(one))
    expect(found, name).toEqual(sections.filter((one) => out.includes(`\n${one}\n`)))
    expect(found, name).toEqual(expect.arrayContaining(['Usage:', 'Examples:', 'Exit codes:']))
    expect((await load()).help.examples.length, name).toBeLessThanOrEqual(3)
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(90)
  }
})

test('examples use options that their verb has, and files that are there', async () => {
  for (const { name, load } of verbs) {
    const { help } = await load()
    const known = optionsOf(help).map(([option]) => option)
    for (const line of [...help.examples, ...help.usage]) {
      expect(line.split(' ')[0]).toBe(name)
      for (const option of line.match(/(?<=[ [])--[a-z-]+/g) ?? []) {
        expect(known, line).toContain(option)
      }
      for (const file of line.match(/examples\/\S+/g) ?? []) {
        expect(existsSync(join(root, file)), file).toBe(true)
      }
    }
  }
})

test('every option in a help text is one that the verb reads', async () => {
  // These two take whatever their host passes on.
  for (const { name, load } of verbs.filter((one) => !['hook', 'statusline'].includes(one.name))) {
    const { help } = await load()
    for (const [option] of optionsOf(help)) {
      const words = subcommandsOf(help).slice(0, 1)
      for (const value of [[], ['1']]) {
        const { err } = await runIn('/', [name, ...words, option, ...value, '--no-such-option'])
        if (err.includes('`--no-such-option`')) break
        expect(value, `${name} ${option}: ${err}`).toEqual([])
      }
    }
  }
})

test('examples that need no daemon work', async () => {
  const shell = (line: string): string[] =>
    [...line.matchAll(/'([^']*)'|(\S+)/g)].map((part) => part[1] ?? part[2] ?? '')
  for (const name of ['check', 'test', 'play', 'judge', 'draw', 'convert', 'completion']) {
    const { help } = (await verbs.find((one) => one.name === name)?.load()) ?? {}
    for (const line of help?.examples ?? []) {
      if (/ (>|--out) /.test(line)) continue
      const { code, out, err } = await runIn(root, shell(line))
      expect([code, err.replace(/^.*warnings?, see.*\n/, '')], line).toEqual([
        name === 'judge' && line.includes('rm -rf') ? 1 : 0,
        expect.not.stringContaining('pawl:'),
      ])
      expect(out, line).not.toBe('')
    }
  }
})

test('each verb has its own help', async () => {
  for (const entry of verbs) {
    const verb = await entry.load()
    for (const args of [
      [entry.name, '--help'],
      ['help', entry.name],
      [entry.name, 'x', '-h'],
    ]) {
      const { code, out } = await runIn('/', args)
      expect(code, args.join(' ')).toBe(0)
      expect(out).toBe(helpText(entry.name, entry.summary, verb.help))
    }
  }
})

test('without a verb the list of verbs is printed, and the exit code is 2', async () => {
  const { code, out, err } = await runIn('/', [])
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('Usage: pawl COMMAND')
})

test('the version is that of the package', async () => {
  const { code, out } = await runIn('/', ['--version'])
  expect(code).toBe(0)
  expect(out).toMatch(/^\d+\.\d+\.\d+\S*\n$/)
})

test('an unknown verb is refused with the one that was meant', async () => {
  const { code, out, err } = await runIn('/', ['chekc', 'x.json'])
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain('unknown command `chekc`')
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
    expect(err, args.join(' ')).toMatch(/needs a value|does not take a value/)
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
