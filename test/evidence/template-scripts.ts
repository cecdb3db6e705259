/**
 * What an honest agent does in each template, from the first stage to `done`.
 */
import type { JsonObject } from '../../src/core/json.ts'

export type ScriptStep =
  | { readonly write: string }
  | { readonly run: string }
  | { readonly send: string; readonly data?: JsonObject }

/** What the source says when the work begins: the tests pass only when it says `fixed`. */
export type TemplateScript = {
  readonly name: string
  readonly source: 'fixed' | 'bug'
  readonly steps: readonly ScriptStep[]
}

const tests: ScriptStep = { run: 'npm test' }
const source: ScriptStep = { write: 'src/app.txt' }
const commit: readonly ScriptStep[] = [
  { run: 'git add -A' },
  { run: 'git commit -m work' },
  { send: 'DONE' },
]

export const templateScripts: readonly TemplateScript[] = [
  {
    name: 'feature-with-plan',
    source: 'bug',
    steps: [
      { send: 'PLANNED', data: { plan: 'one new page' } },
      { send: 'BUILD' },
      ...[source, tests],
      ...[{ send: 'BUILT' }, { send: 'MERGE' }],
      ...commit,
    ],
  },
  {
    name: 'refactor',
    source: 'fixed',
    steps: [
      ...[tests, { send: 'READY', data: { goal: 'shorter names' } }],
      ...[source, tests, { run: 'git diff --exit-code -- test tests' }],
      ...[{ send: 'CLEAN' }, { send: 'MERGE' }],
      ...commit,
    ],
  },
  {
    name: 'dependency-upgrade',
    source: 'fixed',
    steps: [
      ...[tests, { send: 'READY', data: { package: 'a', from: '1.0.0', to: '2.0.0' } }],
      ...[{ run: 'npm install --ignore-scripts ./vendor/a' }, tests],
      ...[{ send: 'UPGRADED' }, { send: 'MERGE' }],
      ...commit,
    ],
  },
  {
    name: 'incident-fix',
    source: 'bug',
    steps: [
      { send: 'ASSESSED', data: { impact: 'all logins', cause: 'an expired key' } },
      ...[source, tests, { send: 'FIXED' }, { send: 'DEPLOY' }],
      ...[{ run: 'npm run deploy' }, { send: 'DEPLOYED' }],
      ...[{ run: 'npm run health' }, { send: 'HEALTHY' }],
    ],
  },
  {
    name: 'documentation-change',
    source: 'fixed',
    steps: [
      { send: 'UNDERSTOOD', data: { reader: 'a new user', change: 'the first command works' } },
      ...[{ write: 'docs/start.md' }, { run: 'npm run docs' }],
      ...[{ send: 'WRITTEN' }, { send: 'PUBLISH' }],
      ...commit,
    ],
  },
  {
    name: 'data-migration',
    source: 'bug',
    steps: [
      { send: 'PLANNED', data: { plan: 'split', undo: 'join', rows: '40,000' } },
      ...[source, { write: 'migrations/7.sql' }, tests, { run: 'npm run migrate:rehearse' }],
      ...[{ send: 'REHEARSED' }, { run: 'npm run backup' }, { send: 'APPLY' }],
      ...[{ run: 'npm run migrate' }, { send: 'APPLIED' }],
      ...[{ run: 'npm run migrate:verify' }, { send: 'VERIFIED' }],
    ],
  },
]
