/** Completion scripts: bash runs its own; the others are read. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderOf, runIn } from '../fake-io.contract.ts'
import { verbs } from '../verbs.ts'

async function script(shell: string): Promise<string> {
  const { code, out, err } = await runIn('/', ['completion', shell])
  expect([code, err]).toEqual([0, ''])
  return out
}

/** The words that bash offers for the last word of a command line. */
async function completed(...words: string[]): Promise<string[]> {
  const folder = folderOf({ 'pawl.bash': await script('bash') })
  const line = words.map((word) => `'${word}'`).join(' ')
  const text = `
set -u
source '${join(folder, 'pawl.bash')}'
COMP_WORDS=(${line}) COMP_CWORD=${words.length - 1} COMPREPLY=()
_pawl
printf '%s\\n' "\${COMPREPLY[@]}"`
  const out = execFileSync('bash', ['-c', text], { encoding: 'utf8' })
  return out.split('\n').filter((one) => one !== '')
}

test('bash completes verbs, subcommands and options', async () => {
  expect(await completed('pawl', 'ch')).toEqual(['check'])
  expect(await completed('pawl', 'app')).toEqual(['approvals', 'approve'])
  expect(await completed('pawl', '--v')).toEqual(['--version'])
  expect(await completed('pawl', 'check', '--s')).toEqual(['--strict'])
  expect(await completed('pawl', 'start', 'x', '--v')).toEqual(['--var'])
  expect(await completed('pawl', 'job', '')).toEqual(['run', 'list', 'show', 'logs', 'kill'])
  expect(await completed('pawl', 'definitions', 'dr')).toEqual(['drafts'])
  expect(await completed('pawl', 'hoo')).toEqual([])
  // Then `complete -o default` offers files.
  expect(await completed('pawl', 'check', 'exa')).toEqual([])
  expect(await completed('pawl', 'nothing', '-')).toEqual([])
})

test('every script knows every verb that people call, with its options', async () => {
  for (const shell of ['bash', 'zsh', 'fish']) {
    const text = await script(shell)
    for (const { name, isInternal } of verbs) {
      if (isInternal !== true) expect(text, `${shell} ${name}`).toMatch(new RegExp(`\\b${name}\\b`))
    }
    expect(text).toContain(shell === 'fish' ? '-l token-file' : '--token-file')
  }
  expect(await script('zsh')).toMatch(/^#compdef pawl\n[\s\S]*\ncompdef _pawl pawl\n$/)
  const lines = (await script('fish')).split('\n').filter((line) => line.startsWith('complete'))
  const conditions = lines.map((line) => /^complete -c pawl -n (\w+|'[^']+') /.exec(line)?.[1])
  for (const { name, isInternal } of verbs) {
    const isShown = conditions.includes(`'__pawl_in ${name}'`)
    expect(isShown, name).toBe(isInternal !== true)
  }
})

test('another shell is refused', async () => {
  for (const args of [[], ['zhs'], ['bash', 'zsh']]) {
    const { code, err } = await runIn('/', ['completion', ...args])
    expect(code, err).toBe(2)
  }
})
