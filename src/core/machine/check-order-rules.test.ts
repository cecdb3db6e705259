import { expect, test } from 'vitest'
import { compileDefinition } from '../dialects/compile-definition.ts'
import type { Json } from '../json.ts'
import { sourceOf } from '../source/source.ts'

function found(policy: Json, state: object = { allowed_tools: ['Bash'] }): string[] {
  const definition = {
    id: 'w',
    initial: 'a',
    policy,
    states: { a: { ...state, on: { END: 'z' } }, z: { type: 'final' } },
  }
  return compileDefinition(sourceOf(definition as Json))
    .findings.filter(({ code }) => code === 'ORDER_NEVER_HOLDS')
    .map(({ pointer, message }) => `${pointer} ${message}`)
}

const push = { capability: 'bash', when: { commands: ['git push'] } }

test.each<[string, Json]>([
  ['a call after another one', [{ capability: 'mcp:cd:*', after: { capability: 'mcp:ci:*' } }]],
  ['a command after another one', [{ ...push, after: { evidence: 'npm test' } }]],
  [
    'calls in a row',
    [
      { capability: 'c', after: { capability: 'b' } },
      { capability: 'b', after: { capability: 'a' } },
    ],
  ],
  [
    'a rule that is only for some calls of the other one',
    [
      { capability: 'b', after: { capability: 'a' } },
      { capability: 'a', when: { input: { n: 1 } }, after: { capability: 'b' } },
    ],
  ],
  [
    'a claim about the command itself',
    [{ capability: 'bash', after: { evidence: 'npm test', grade: 'claimed' } }],
  ],
])('%s can hold', (_, allow) => {
  expect(found({ allow })).toEqual([])
})

test('nothing can prove what is not one command, or is outside of the workspace', () => {
  const allow = [
    { ...push, after: { evidence: 'npm test | tee log' } },
    { ...push, after: { evidence: 'npm test', folder: '../x' } },
  ]
  expect(found({ allow })).toEqual([
    '/policy/allow/0/after nothing can prove `npm test | tee log`: it is not one simple command',
    '/policy/allow/1/after nothing can prove `npm test`: its folder is not in the workspace',
  ])
})

test('evidence of a command that no state allows is named', () => {
  const allow = [{ ...push, after: { evidence: 'npm test' } }]
  const state = { allowed_tools: ['Bash'], allowed_commands: ['git push'] }
  expect(found({ allow }, state)).toEqual([
    '/policy/allow/0/after no state allows `npm test`, so this rule can never be met',
  ])
})

test('a call that is denied can never come first', () => {
  const policy = {
    allow: [{ capability: 'mcp:cd:deploy', after: { capability: 'mcp:ci:test' } }],
    deny: [{ capability: 'mcp:ci:*' }],
  }
  expect(found(policy)).toEqual([
    '/policy/allow/0/after `mcp:ci:test` can never be called first: `deny` has `mcp:ci:*`',
  ])
})

test('what a session needs may have been done in a run of another definition', () => {
  const policy = {
    allow: [
      { capability: 'mcp:cd:deploy', after: { capability: 'mcp:ci:test', scope: 'session' } },
      { ...push, after: { evidence: 'npm test', scope: 'session' } },
    ],
    deny: [{ capability: 'mcp:ci:*' }],
  }
  expect(found(policy, { allowed_tools: ['Bash'], allowed_commands: ['git push'] })).toEqual([])
})

const cycle = 'these rules need each other, so none of their calls can ever be made: '

test('rules that need each other are told once, with the way round', () => {
  const allow = [
    { capability: 'a', after: { capability: 'b' } },
    { capability: 'b*', after: { capability: 'c' } },
    { capability: 'c', after: { capability: 'a' } },
  ]
  expect(found({ allow })).toEqual([
    `/policy/allow/0/after ${cycle}\`a\` needs \`b\`, which is under the same rules: ` +
      '`b*` needs `c`, which is under the same rules: `c` needs `a`',
  ])
})

test('a rule for every command also applies to the command that it waits for', () => {
  const after = { evidence: 'npm test' }
  const told = [`/policy/allow/0/after ${cycle}\`bash\` needs \`npm test\``]
  expect(found({ allow: [{ capability: 'bash', after }] })).toEqual(told)
  const named = { capability: 'bash', when: { commands: ['npm'] }, after }
  expect(found({ allow: [named] })).toEqual(told)
})
