/**
 * Small projects for each test runner, by scenario: the files to write and the counts that a
 * person reads off them. Knows runners. Must not know how outputs are read.
 */

export type Scenario = 'pass' | 'fail' | 'skip' | 'mixed' | 'empty' | 'many'
export type Counts = { passed: number; failed: number; skipped: number; total: number }
export type TestKind = 'pass' | 'fail' | 'skip'

/** The tests of each scenario, one list per file. */
export const scenarios: Record<Scenario, TestKind[][]> = {
  pass: [['pass', 'pass', 'pass']],
  fail: [['pass', 'pass', 'fail']],
  skip: [['pass', 'pass', 'skip']],
  mixed: [['pass', 'pass', 'fail', 'fail', 'skip']],
  empty: [[]],
  many: [['pass', 'pass'], ['pass', 'pass', 'skip'], ['pass']],
}

/** What a person counts in a scenario. */
export function countsOf(scenario: Scenario): Counts {
  const all = scenarios[scenario].flat()
  const count = (kind: TestKind): number => all.filter((one) => one === kind).length
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip'), total: all.length }
}

/** The least that a person can count where a passing group is one line. */
export function groupCountsOf(scenario: Scenario): Counts {
  const failed = countsOf(scenario).failed
  const groups = scenarios[scenario].filter((tests) => tests.length > 0 && !tests.includes('fail'))
  return { passed: groups.length, failed, skipped: 0, total: groups.length + failed }
}

export type Project = {
  /** Runs the tests; each is one recording. */
  commands: Record<string, string>
  /** The file of one group of tests. */
  file: (tests: readonly TestKind[], group: number) => { path: string; text: string }
  /** What else is needed. */
  extra?: (groups: number) => Record<string, string>
  /** Before the recording, not recorded. */
  prepare?: string
  /** It prints nothing about tests where there are none: the counts are unknown. */
  isSilentWhenEmpty?: true
  /** Modes that print no single tests: a group that passed counts as one. */
  groupModes?: readonly string[]
}

const js = (
  style: { head?: string; test: (kind: TestKind, name: string) => string },
  path: (group: number) => string,
): Project['file'] => {
  return (tests, group) => {
    const body = tests.map((kind, index) => style.test(kind, `${group}-${index} ${kind}`))
    return { path: path(group), text: [style.head ?? '', ...body, ''].join('\n') }
  }
}

const fails = "throw new Error('wrong')"

function itStyle(kind: TestKind, name: string): string {
  if (kind === 'skip') return `it.skip('${name}', () => {})`
  return `it('${name}', () => { ${kind === 'fail' ? fails : ''} })`
}

/** Where runners from npm are installed; the recorder's caller sets it. */
const bin = `${process.env.TEST_RUNNERS ?? '.'}/node_modules/.bin`

export const projects: Record<string, Project> = {
  'node:test': {
    commands: {
      tap: 'node --test --test-reporter=tap',
      spec: 'node --test --test-reporter=spec',
      color: 'FORCE_COLOR=1 node --test --test-reporter=spec',
    },
    file: js(
      {
        head: "import { it } from 'node:test'",
        test: (kind, name) => itStyle(kind, name),
      },
      (group) => `t${group}.test.mjs`,
    ),
  },
  vitest: {
    commands: {
      plain: `${bin}/vitest run --passWithNoTests`,
      color: `FORCE_COLOR=1 ${bin}/vitest run --passWithNoTests`,
      verbose: `${bin}/vitest run --passWithNoTests --reporter=verbose`,
    },
    file: js(
      { head: "import { it } from 'vitest'", test: itStyle },
      (group) => `t${group}.test.mjs`,
    ),
  },
  jest: {
    commands: {
      plain: `${bin}/jest --passWithNoTests 2>&1`,
      color: `${bin}/jest --passWithNoTests --colors 2>&1`,
      verbose: `${bin}/jest --passWithNoTests --verbose 2>&1`,
    },
    file: js({ test: itStyle }, (group) => `t${group}.test.js`),
    extra: () => ({ 'package.json': '{"name":"p","version":"1.0.0"}' }),
  },
  mocha: {
    commands: {
      spec: `${bin}/mocha '*.test.js'`,
      color: `${bin}/mocha --color '*.test.js'`,
      dot: `${bin}/mocha --reporter dot '*.test.js'`,
      tap: `${bin}/mocha --reporter tap '*.test.js'`,
    },
    file: js({ test: itStyle }, (group) => `t${group}.test.js`),
  },
  ava: {
    commands: { plain: `${bin}/ava --no-color 2>&1`, color: `${bin}/ava --color 2>&1` },
    file: js(
      {
        head: "import test from 'ava'",
        test: (kind, name) => {
          if (kind === 'skip') return `test.skip('${name}', (t) => t.pass())`
          return `test('${name}', (t) => t.${kind}())`
        },
      },
      (group) => `t${group}.test.js`,
    ),
    extra: () => ({ 'package.json': '{"name":"p","version":"1.0.0","type":"module"}' }),
  },
  bun: {
    commands: { plain: `${bin}/bun test 2>&1`, color: `FORCE_COLOR=1 ${bin}/bun test 2>&1` },
    file: js(
      { head: "import { it } from 'bun:test'", test: itStyle },
      (group) => `t${group}.test.js`,
    ),
  },
  deno: {
    commands: { plain: `NO_COLOR=1 ${bin}/deno test 2>&1`, color: `${bin}/deno test 2>&1` },
    file: js(
      {
        test: (kind, name) => {
          const end = kind === 'fail' ? fails : ''
          return `Deno.test({ name: '${name}', ignore: ${kind === 'skip'}, fn() { ${end} } })`
        },
      },
      (group) => `t${group}_test.js`,
    ),
  },
  pytest: {
    commands: {
      plain: 'python3 -m pytest -p no:cacheprovider',
      quiet: 'python3 -m pytest -q -p no:cacheprovider',
      verbose: 'python3 -m pytest -v -p no:cacheprovider',
      color: 'python3 -m pytest --color=yes -p no:cacheprovider',
    },
    file: (tests, group) => ({
      path: `test_g${group}.py`,
      text: [
        'import pytest',
        ...tests.map((kind, index) => {
          const head = kind === 'skip' ? '@pytest.mark.skip\n' : ''
          return `${head}def test_${index}():\n    assert ${kind === 'fail' ? '1 == 2' : 'True'}`
        }),
        '',
      ].join('\n'),
    }),
  },
  unittest: {
    commands: {
      plain: 'python3 -m unittest discover 2>&1',
      verbose: 'python3 -m unittest discover -v 2>&1',
    },
    file: (tests, group) => ({
      path: `test_g${group}.py`,
      text: [
        'import unittest',
        `class T${group}(unittest.TestCase):`,
        '    pass',
        ...tests.map((kind, index) => {
          const head = kind === 'skip' ? "    @unittest.skip('later')\n" : ''
          const is = kind === 'fail' ? 'False' : 'True'
          return `${head}    def test_${index}(self): self.assertTrue(${is})`
        }),
        '',
      ].join('\n'),
    }),
  },
  cargo: {
    commands: {
      plain: 'cargo test --offline --no-fail-fast 2>&1',
      quiet: 'cargo test --offline --no-fail-fast -q 2>&1',
      color: 'cargo test --offline --no-fail-fast --color=always 2>&1',
    },
    file: (tests, group) => ({
      path: `tests/g${group}.rs`,
      text: tests
        .map((kind, index) => {
          const head = kind === 'skip' ? '#[test]\n#[ignore]' : '#[test]'
          return `${head}\nfn t${index}() { assert!(${kind !== 'fail'}); }\n`
        })
        .join('\n'),
    }),
    extra: () => ({
      'Cargo.toml': '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': '',
    }),
    prepare: 'cargo test --offline --no-run 2>&1',
  },
  go: {
    commands: {
      plain: 'go test ./... 2>&1',
      verbose: 'go test -v ./... 2>&1',
      json: 'go test -json ./... 2>&1',
    },
    file: (tests, group) => ({
      path: `g${group}/g_test.go`,
      text: [
        `package g${group}`,
        tests.length > 0 ? 'import "testing"' : '',
        ...tests.map((kind, index) => {
          const end =
            kind === 'pass' ? '' : kind === 'fail' ? 't.Fatal("wrong")' : 't.Skip("later")'
          return `func Test${index}(t *testing.T) { ${end} }`
        }),
        '',
      ].join('\n'),
    }),
    extra: () => ({ 'go.mod': 'module example.com/p\n\ngo 1.19\n' }),
    groupModes: ['plain'],
  },
  rspec: {
    commands: {
      plain: 'rspec --no-color .',
      color: 'rspec --force-color .',
      documentation: 'rspec --no-color -f documentation .',
    },
    file: (tests, group) => ({
      path: `g${group}_spec.rb`,
      text: [
        `RSpec.describe 'g${group}' do`,
        ...tests.map((kind, index) => {
          const word = kind === 'skip' ? 'xit' : 'it'
          return `  ${word}('t${index}') { expect(1).to eq(${kind === 'fail' ? 2 : 1}) }`
        }),
        'end',
        '',
      ].join('\n'),
    }),
  },
  phpunit: {
    commands: {
      plain: 'phpunit --colors=never .',
      color: 'phpunit --colors=always .',
      testdox: 'phpunit --testdox --colors=never .',
    },
    file: (tests, group) => ({
      path: `G${group}Test.php`,
      text: [
        '<?php',
        `final class G${group}Test extends PHPUnit\\Framework\\TestCase {`,
        ...tests.map((kind, index) => {
          const end =
            kind === 'skip'
              ? "$this->markTestSkipped('later');"
              : `$this->assertTrue(${kind === 'pass'});`
          return `  public function test${index}(): void { ${end} }`
        }),
        '}',
        '',
      ].join('\n'),
    }),
  },
  bats: {
    commands: { tap: 'bats --tap .', pretty: 'bats --pretty .' },
    file: (tests, group) => ({
      path: `g${group}.bats`,
      text: tests
        .map((kind, index) => {
          const end = kind === 'skip' ? 'skip later' : kind === 'fail' ? 'false' : 'true'
          return `@test "t${group}-${index}" { ${end}; }\n`
        })
        .join('\n'),
    }),
  },
  ctest: {
    commands: { plain: 'ctest --test-dir build 2>&1', verbose: 'ctest --test-dir build -V 2>&1' },
    file: (tests, group) => ({
      path: `g${group}.cmake`,
      text: tests
        .map((kind, index) => {
          const name = `t${group}-${index}`
          const skip = `set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 1)\n`
          const command = kind === 'pass' ? 'true' : 'false'
          return `add_test(NAME ${name} COMMAND ${command})\n${kind === 'skip' ? skip : ''}`
        })
        .join(''),
    }),
    extra: (groups) => ({
      'CMakeLists.txt': [
        'cmake_minimum_required(VERSION 3.20)',
        'project(p NONE)',
        'enable_testing()',
        ...Array.from({ length: groups }, (_, group) => `include(g${group}.cmake)`),
        '',
      ].join('\n'),
    }),
    prepare: 'cmake -S . -B build',
  },
  'npm workspaces with vitest': workspaces(`${bin}/vitest run`, "import { it } from 'vitest'"),
  'npm workspaces with jest': workspaces(`${bin}/jest --passWithNoTests`, ''),
  'npm workspaces with mocha': workspaces(`${bin}/mocha '*.test.js'`, ''),
  'npm workspaces with node:test': workspaces('node --test', "const { it } = require('node:test')"),
}

/** One package per group, and one command for all. */
function workspaces(command: string, head: string): Project {
  return {
    commands: { plain: 'npm test --workspaces 2>&1' },
    file: js({ head, test: itStyle }, (group) => `packages/g${group}/t${group}.test.js`),
    extra: (groups) => {
      const files: Record<string, string> = {
        'package.json': '{"name":"p","private":true,"workspaces":["packages/*"]}',
      }
      for (let group = 0; group < groups; group += 1) {
        const manifest = { name: `g${group}`, version: '1.0.0', scripts: { test: command } }
        files[`packages/g${group}/package.json`] = JSON.stringify(manifest)
      }
      return files
    },
  }
}
