import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Finding } from '../finding.ts'
import type { Json } from '../json.ts'
import { jsonBytesMax, sourceMembersMax, sourceNodesMax, yamlBytesMax } from './limits.ts'
import { guessFormat, readSource, readValue, type SourceFormat } from './read-source.ts'
import { nodeAt, plainValue } from './source.ts'

function value(text: string, format?: SourceFormat): Json {
  const { root, findings } = readSource(text, format)
  expect(findings).toEqual([])
  return plainValue(root!)
}

/** The only finding of a text that can not be read. */
function refusal(text: string, format?: SourceFormat): Finding {
  const { root, findings } = readSource(text, format)
  expect(root).toBeNull()
  expect(findings).toHaveLength(1)
  expect(findings[0]!.severity).toBe('error')
  expect(findings[0]!.message).not.toBe('')
  return findings[0]!
}

/** What stands in the text at a pointer, and at its key. */
function places(text: string, pointer: string, format?: SourceFormat): [string, string] {
  const { root, findings } = readSource(text, format)
  expect(findings).toEqual([])
  const node = nodeAt(root!, pointer)!
  const parent = nodeAt(root!, pointer.slice(0, pointer.lastIndexOf('/')))!
  const key = parent.kind === 'object' ? parent.members.find((one) => one.node === node) : undefined
  return [
    text.slice(node.start, node.end),
    key === undefined ? '' : text.slice(key.keyStart, key.keyEnd),
  ]
}

test('JSON is read as JSON.parse reads it', () => {
  const texts = [
    '{"a":[1,-2.5e3,true,false,null,"x\\n\\u00e9"],"":{}}',
    '[]',
    '{"a/b":{"~":1}}',
    '[[[]]]',
  ]
  for (const text of texts)
    expect(JSON.stringify(value(text))).toBe(JSON.stringify(JSON.parse(text)))
})

test('comments and trailing commas are allowed in JSON', () => {
  const text = '// first\n{ /* in */ "a": [1, 2,], // end\n "b": 1, }\n'
  expect(value(text)).toEqual({ a: [1, 2], b: 1 })
})

test('every value and key of JSON knows its place', () => {
  const text = '{\n  "states": { "a/b": { "on": ["x", {"y": -1.5}] } }\n}'
  expect(places(text, '')).toEqual([text, ''])
  expect(places(text, '/states')).toEqual(['{ "a/b": { "on": ["x", {"y": -1.5}] } }', '"states"'])
  expect(places(text, '/states/a~1b/on')).toEqual(['["x", {"y": -1.5}]', '"on"'])
  expect(places(text, '/states/a~1b/on/0')).toEqual(['"x"', ''])
  expect(places(text, '/states/a~1b/on/1/y')).toEqual(['-1.5', '"y"'])
})

test('places in JSON are right behind comments and a byte order mark', () => {
  const text = '\uFEFF// {"a": 0}\n{ /* "a" */ "a": 7 }'
  expect(places(text, '/a')).toEqual(['7', '"a"'])
})

test('every value and key of YAML knows its place, in blocks', () => {
  const text =
    'states:\n  first:\n    on:\n      GO: "second"\n' +
    '    list:\n      - a: 1\n        b: x y\n      - 2\nlast: end\n'
  expect(places(text, '/states/first/on')).toEqual(['GO: "second"', 'on'])
  expect(places(text, '/states/first/on/GO')).toEqual(['"second"', 'GO'])
  expect(places(text, '/states/first/list/0/b')).toEqual(['x y', 'b'])
  expect(places(text, '/states/first/list/0')).toEqual(['a: 1\n        b: x y', ''])
  expect(places(text, '/states/first/list/1')).toEqual(['2', ''])
  expect(places(text, '/last')).toEqual(['end', 'last'])
  expect(places(text, '')).toEqual([text.trimEnd(), ''])
})

test('every value and key of YAML knows its place, in brackets', () => {
  const text = '# note\na: {b: [1, {c: two}], "d": \'x\'}\n'
  expect(places(text, '/a')).toEqual(['{b: [1, {c: two}], "d": \'x\'}', 'a'])
  expect(places(text, '/a/b/1/c')).toEqual(['two', 'c'])
  expect(places(text, '/a/d')).toEqual(["'x'", '"d"'])
})

test('YAML 1.2 is read: `on`, `yes` and dates are texts, and any scalar can be a name', () => {
  const text = 'on: yes\nday: 2026-01-02\n1: a\ntrue: b\n0x10: c\nnone:\nhex: 0x10\n'
  expect(value(text)).toEqual({
    on: 'yes',
    day: '2026-01-02',
    1: 'a',
    true: 'b',
    '0x10': 'c',
    none: null,
    hex: 16,
  })
})

test('aliases and merges are written out, and what an object says itself wins', () => {
  const text =
    'base: &b {x: 1, y: [2]}\none: *b\ntwo:\n  <<: *b\n  x: 9\nthree:\n  <<: [{x: 5}, *b]\n'
  expect(value(text)).toEqual({
    base: { x: 1, y: [2] },
    one: { x: 1, y: [2] },
    two: { x: 9, y: [2] },
    three: { x: 5, y: [2] },
  })
  const { root } = readSource(text)
  expect(nodeAt(root!, '/one/y/0')!.pointer).toBe('/one/y/0')
  expect(nodeAt(root!, '/two/y/0')!.pointer).toBe('/two/y/0')
})

test('the format is guessed from the first thing that is no comment', () => {
  expect(guessFormat('{}')).toBe('json')
  expect(guessFormat('\uFEFF \n // x\n/* y */ [')).toBe('json')
  expect(guessFormat('# x\n{}')).toBe('yaml')
  expect(guessFormat('a: {}')).toBe('yaml')
  expect(guessFormat('')).toBe('yaml')
  expect(guessFormat('/* open')).toBe('json')
})

test('broken JSON is refused at the place where it breaks', () => {
  const at = (text: string) => [refusal(text, 'json').code, refusal(text, 'json').offset]
  expect(at('{"a": tru}')).toEqual(['SYNTAX_INVALID', 6])
  expect(at('{"a" 1}')).toEqual(['SYNTAX_INVALID', 5])
  expect(at('[1 2]')).toEqual(['SYNTAX_INVALID', 3])
  expect(at('{"a": 1')).toEqual(['SYNTAX_INVALID', 7])
  expect(at('[1]]')).toEqual(['SYNTAX_INVALID', 3])
  expect(at('{"a": "x\ny"}')).toEqual(['SYNTAX_INVALID', 6])
  expect(at("{'a': 1}")).toEqual(['SYNTAX_INVALID', 1])
  expect(at('{"a": 01}')).toEqual(['SYNTAX_INVALID', 7])
  expect(at('{"a": "\\x"}')).toEqual(['SYNTAX_INVALID', 6])
  expect(at('{"a": "\\u12"}')).toEqual(['SYNTAX_INVALID', 6])
  expect(at('{} /* open')).toEqual(['SYNTAX_INVALID', 3])
  expect(at('')).toEqual(['SYNTAX_INVALID', 0])
  expect(at('[,]')).toEqual(['SYNTAX_INVALID', 1])
  expect(at('{"a": NaN}')).toEqual(['SYNTAX_INVALID', 6])
})

test('broken YAML is refused in words of our own, at its place', () => {
  const at = (text: string) => [refusal(text, 'yaml').code, refusal(text, 'yaml').offset]
  expect(at('a: b: c')).toEqual(['SYNTAX_INVALID', 3])
  expect(at('a:\n\t- b')).toEqual(['SYNTAX_INVALID', 3])
  expect(at('a: @x')).toEqual(['SYNTAX_INVALID', 3])
  expect(at('a: *nobody')).toEqual(['SYNTAX_INVALID', 3])
  expect(at('a: &x [*x]')).toEqual(['SYNTAX_INVALID', 7])
  expect(at('a: !odd x')).toEqual(['SYNTAX_INVALID', 8])
  expect(at('a: !!binary aGk=')[0]).toBe('SYNTAX_INVALID')
  expect(at('? [a]\n: 1')).toEqual(['SYNTAX_INVALID', 2])
  expect(at('a: 1\n---\nb: 2')).toEqual(['SYNTAX_INVALID', 5])
  expect(at('%YAML 1.1\n---\na: yes')[0]).toBe('SYNTAX_INVALID')
  expect(at('# nothing')[0]).toBe('SYNTAX_INVALID')
  expect(at('a: .inf')[0]).toBe('SYNTAX_INVALID')
  expect(at('a: {<<: 1}')[0]).toBe('SYNTAX_INVALID')
  for (const text of ['a: b: c', 'a:\n\t- b', 'a: "x']) {
    expect(refusal(text).message).not.toMatch(/[A-Z]{3}_|YAMLParseError/)
  }
})

test('a key that stands twice is an error at the second place, and the first one counts', () => {
  for (const text of ['{"a": 1, "b": {"x": 1, "x": 2}}', 'a: 1\nb:\n  x: 1\n  x: 2\n']) {
    const { root, findings } = readSource(text)
    expect(findings).toMatchObject([{ code: 'DUPLICATE_KEY', pointer: '/b/x', atKey: true }])
    expect(findings[0]!.offset).toBe(text.lastIndexOf('x') - (text.startsWith('{') ? 1 : 0))
    expect(plainValue(root!)).toEqual({ a: 1, b: { x: 1 } })
  }
})

test('`__proto__` is never a name, however it is written, and changes no object', () => {
  const texts = [
    '{"a": {"__proto__": {"polluted": 1}}}',
    '{"a": {"\\u005f_proto__": {"polluted": 1}}}',
    'a:\n  __proto__: {polluted: 1}\n',
    'a: {"__proto__": {polluted: 1}}\n',
  ]
  for (const text of texts) {
    const { root, findings } = readSource(text)
    expect(findings).toMatchObject([{ code: 'RESERVED_NAME', pointer: '/a/__proto__' }])
    const inner = (plainValue(root!) as { a: { [key: string]: Json } }).a
    expect(Object.keys(inner)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(inner)).toBeNull()
  }
  expect(({} as { polluted?: number }).polluted).toBeUndefined()
})

test('objects have no prototype, so `constructor` is only there when it was written', () => {
  const plain = value('{"constructor": 1}') as { [key: string]: Json }
  expect(Object.getPrototypeOf(plain)).toBeNull()
  expect(Object.keys(plain)).toEqual(['constructor'])
  expect('toString' in plain).toBe(false)
})

test('numbers that are not finite, NUL and halves of a character are refused', () => {
  expect(refusal('{"a": 1e999}').code).toBe('SYNTAX_INVALID')
  // In JSON the tree comes all the same: what a case sends may hold them.
  expect(refusal('{"a": "\ud800"}')).toMatchObject({ code: 'SYNTAX_INVALID', offset: 7 })
  for (const text of ['{"a": "\\ud800"}', '{"a": "\\u0000"}']) {
    const { findings } = readSource(text)
    expect(findings).toMatchObject([{ code: 'SYNTAX_INVALID', pointer: '/a', offset: 6 }])
  }
  expect(refusal('a: x\0y')).toMatchObject({ code: 'SYNTAX_INVALID', offset: 4 })
  expect(refusal('a: "\\ud800"').code).toBe('SYNTAX_INVALID')
  expect(value('{"a": "\\ud83d\\ude00"}')).toEqual({ a: '😀' })
  expect(JSON.stringify(value('[-0]'))).toBe('[0]')
})

test('a text beyond its size is refused with the limit and its own size', () => {
  const json = refusal(`{"a":"${'x'.repeat(10_000_000)}"}`)
  expect(json.code).toBe('SIZE_EXCEEDED')
  expect(json.message).toContain(String(jsonBytesMax))
  expect(json.message).toContain('10000008')
  const yaml = refusal(`a: ${'x'.repeat(10_000_000)}`)
  expect(yaml.code).toBe('SIZE_EXCEEDED')
  expect(yaml.message).toContain(String(yamlBytesMax))
  // Sizes are bytes, not characters.
  expect(refusal(`a: ${'é'.repeat(yamlBytesMax / 2)}`).code).toBe('SIZE_EXCEEDED')
})

test('a hundred thousand states are refused, in both formats', () => {
  const states = Array.from({ length: 100_000 }, (_, i) => `s${i}`)
  const json = `{"states":{${states.map((name) => `"${name}":{"on":{}}`).join(',')}}}`
  expect(refusal(json)).toMatchObject({ code: 'SIZE_EXCEEDED', pointer: '/states' })
  const yaml = `states:\n${states.map((name) => `  ${name}: {}\n`).join('')}`
  expect(refusal(yaml).code).toBe('SIZE_EXCEEDED')
  const fewer = states.slice(0, sourceMembersMax + 1)
  expect(refusal(`states: {${fewer.map((name) => `${name}`).join(', ')}}\n`).code).toBe(
    'SIZE_EXCEEDED',
  )
})

test('ten thousand levels are refused, however they are written', () => {
  const deep = 10_000
  const texts: [string, SourceFormat][] = [
    ['['.repeat(deep) + ']'.repeat(deep), 'json'],
    ['{"a":'.repeat(deep) + 1 + '}'.repeat(deep), 'json'],
    ['['.repeat(deep), 'yaml'],
    ['{a: '.repeat(deep) + '}'.repeat(deep), 'yaml'],
    [`${'- '.repeat(deep)}a`, 'yaml'],
    [`${'? '.repeat(deep)}a`, 'yaml'],
    [Array.from({ length: 900 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''), 'yaml'],
  ]
  for (const [text, format] of texts) expect(refusal(text, format).code).toBe('SIZE_EXCEEDED')
})

test('a hundred levels are read and one more is not, in both formats', () => {
  const list = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  for (const format of ['json', 'yaml'] as const) {
    expect(readSource(list(100), format).findings).toEqual([])
    expect(refusal(list(101), format).code).toBe('SIZE_EXCEEDED')
  }
  expect(readValue(JSON.parse(list(100))).findings).toEqual([])
  expect(readValue(JSON.parse(list(101))).findings[0]!.code).toBe('SIZE_EXCEEDED')
})

test('aliases that multiply are refused before they fill the memory', () => {
  const names = 'abcdefghij'.split('')
  const lines = names.map((name, i) => {
    const items = i === 0 ? Array(9).fill('x') : Array(9).fill(`*${names[i - 1]}`)
    return `${name}: &${name} [${items.join(', ')}]\n`
  })
  expect(refusal(lines.join(''))).toMatchObject({ code: 'SIZE_EXCEEDED' })
  const deep = Array.from(
    { length: 200 },
    (_, i) => `n${i}: &n${i} [${i === 0 ? 1 : `*n${i - 1}`}]\n`,
  )
  expect(refusal(deep.join(''))).toMatchObject({ code: 'SIZE_EXCEEDED' })
  expect(refusal(lines.join('')).message).toContain(String(sourceNodesMax))
})

test('a value without text is held to the same limits and names', () => {
  const many = Object.fromEntries(
    Array.from({ length: sourceMembersMax + 1 }, (_, i) => [`k${i}`, 1]),
  )
  expect(readValue(many).findings).toMatchObject([{ code: 'SIZE_EXCEEDED' }])
  const proto = readValue(JSON.parse('{"a": {"__proto__": 1}}'))
  expect(proto.findings).toMatchObject([{ code: 'RESERVED_NAME', pointer: '/a' }])
  expect(readValue({ a: '\ud800' }).findings).toMatchObject([
    { code: 'SYNTAX_INVALID', pointer: '/a' },
  ])
  expect(readValue({ a: [1, null] }).findings).toEqual([])
})

test('no text whatever makes the reader throw, and a refusal says where', () => {
  const words = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    "'",
    '- ',
    '\n',
    '  ',
    'a',
    '1',
    '&a ',
    '*a',
    '<<',
    '!',
    '|',
    '>',
    '#',
    '?',
    '%',
    '---',
    '\t',
    '\\',
    '/*',
    '//',
    '\r',
    '\u2028',
    '__proto__',
    '\uFEFF',
    '"a":',
    'a: ',
  ]
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...words)).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, fc.constantFrom('json', 'yaml', undefined), (source, format) => {
      const { root, findings } = readSource(source, format)
      if (root === null) expect(findings.length).toBeGreaterThan(0)
      for (const one of findings) {
        expect(one.offset).toBeGreaterThanOrEqual(0)
        expect(one.offset).toBeLessThanOrEqual(source.length)
      }
    }),
    { numRuns: 1500 },
  )
})

test('a damaged document makes the reader neither throw nor forget where things stand', () => {
  const sound = JSON.stringify(
    { id: 'w', states: { a: { on: { GO: ['b', { t: 1.5 }] } } } },
    null,
    1,
  )
  const cut = fc.record({
    at: fc.nat(sound.length),
    drop: fc.nat(6),
    put: fc.string({ maxLength: 3 }),
  })
  fc.assert(
    fc.property(
      fc.array(cut, { maxLength: 4 }),
      fc.constantFrom('json', 'yaml'),
      (cuts, format) => {
        let text = sound
        for (const { at, drop, put } of cuts) text = text.slice(0, at) + put + text.slice(at + drop)
        const { root, findings } = readSource(text, format)
        if (root === null) expect(findings.length).toBeGreaterThan(0)
        else expect(root.end).toBeLessThanOrEqual(text.length)
      },
    ),
    { numRuns: 1000 },
  )
})

test('any JSON value comes back from its text, and YAML reads the same text the same way', () => {
  const json = fc.jsonValue({ maxDepth: 5, stringUnit: 'grapheme' })
  fc.assert(
    fc.property(json, (any) => {
      const text = JSON.stringify({ any })
      fc.pre(!text.includes('__proto__'))
      expect(JSON.stringify(value(text, 'json'))).toBe(text)
      fc.pre(!text.includes('<<'))
      expect(JSON.stringify(value(text, 'yaml'))).toBe(text)
    }),
    { numRuns: 300 },
  )
})
