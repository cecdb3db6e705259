import { expect, test } from 'vitest'
import { grammarOf, knownPrograms, type ProgramGrammar } from './program-grammar.ts'
import { programArguments } from './read-arguments.ts'
import { readShell } from './read-shell.ts'

const uses = /^(reads|builds|changes|runs|wraps|shell|sources|remote|nohup)$/

/** Every table below one, so that each of its tokens is read once. */
function visitAll(grammar: ProgramGrammar, path: string): void {
  expect(grammar.use, path).toMatch(uses)
  for (const verb of grammar.verbs?.keys() ?? []) {
    const inner = grammar.verbs?.get(verb)
    expect(inner, `${path} ${verb}`).toBeDefined()
    if (inner !== undefined) visitAll(inner, `${path} ${verb}`)
  }
}

test('every table can be read, with all its verbs', () => {
  expect(knownPrograms.length).toBeGreaterThan(1_000)
  for (const name of knownPrograms) {
    const grammar = grammarOf(name)
    expect(grammar, name).not.toBeNull()
    if (grammar !== null) visitAll(grammar, name)
  }
})

function optionsOf(command: string): readonly string[] {
  const reading = readShell(command)
  const first = reading.ok ? reading.commands[0] : undefined
  const found = first === undefined ? null : programArguments(first)
  return (found?.options ?? []).map(({ name, kind, value }) => `${name}:${kind}=${value}`)
}

test.each([
  ['sort --outp=f a', ['output:write=f']],
  ['sort -rof a', ['r:=', 'o:write=f']],
  ['sort -ro f a', ['r:=', 'o:write=f']],
  ['tar cIf ./x a.tar f', ['c:makes=', 'I:program=./x', 'f:archive=a.tar']],
  ['find -- . -fprint f', ['fprint:emit=f']],
  ['python -m json.tool a b', ['m:module=json.tool']],
  ['git diff --ou=f', ['output:emit=f']],
  ['X=--output=f; git diff $X', []],
] as const)('the options of %s are told', (command, options) => {
  expect(optionsOf(command)).toEqual(options)
})

test('versions and other names of a program have its table', () => {
  for (const [one, other] of [
    ['python3.11', 'python'],
    ['gsed', 'sed'],
    ['/usr/bin/gcc-12', 'gcc'],
    ['jest@29', 'jest'],
  ] as const) {
    expect(grammarOf(one)?.raw, one).toBe(grammarOf(other)?.raw)
  }
  expect(grammarOf('no-such-program')).toBeNull()
})
