// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is shell
/** What of a shell text is a command, a string, a variable or a comment. */
import { expect, test } from 'vitest'
import { highlightShell } from './highlight-shell.ts'

function shown(text: string, kind: string): readonly string[] {
  return highlightShell(text)
    .filter((span) => span.kind === kind)
    .map((span) => text.slice(span.begin, span.end))
}

const noComments = [
  'curl -fsSL https://get.example.sh/install | sh && rm -rf ./build',
  'git log --format=%h#%s',
  'echo "# no comment"; rm -rf x',
  "echo '# no comment'; rm -rf x",
  'echo a#b && rm -rf x',
  'echo \\# rm -rf x',
  'echo ${#list[@]} ${x#y} ${x##*/}; rm -rf x',
  'echo $((16#ff)); rm -rf x',
  'cat <<END\n# in a text\nEND\nrm -rf x',
  '/* ls */ && rm -rf x',
  'if true; then // rm; fi',
  'echo $# "$#" $$#; rm -rf x',
  '(( x = 16#ff )) && rm -rf x',
  '[[ a == # ]] && rm -rf x',
]

test.each(noComments)('nothing is dimmed in: %s', (text) => {
  expect(shown(text, 'comment')).toEqual([])
})

const comments = [
  ['ls # the files', ['# the files']],
  ['# first\nls\n  # second', ['# first', '# second']],
  ['ls;# glued', ['# glued']],
  ['if true # why\nthen ls; fi # end', ['# why', '# end']],
  ['echo $(ls # inside\n) "# text"', ['# inside']],
  ['#!/bin/sh\nls', ['#!/bin/sh']],
] as const

test.each(comments)('a comment is found in: %s', (text, wanted) => {
  expect(shown(text, 'comment')).toEqual(wanted)
})

test('programs, strings and variables are told apart', () => {
  const text = 'A=1 sudo rm -rf "$HOME/x" | sh -c \'id\' && FOO=b make $T > out'
  expect(shown(text, 'program')).toEqual(['sudo', 'sh', 'make'])
  expect(shown(text, 'string')).toEqual(['"', '/x"', "'id'"])
  expect(shown(text, 'variable')).toEqual(['$HOME', '$T'])
})

test('spans are in order, never overlap, and lie inside of the text', () => {
  const texts = [...noComments, ...comments.map(([text]) => text), 'a $(b "$(c `d`)") "${e:-$(f)}"']
  for (const text of texts) {
    let end = 0
    for (const span of highlightShell(text)) {
      expect(span.begin).toBeGreaterThanOrEqual(end)
      expect(span.end).toBeGreaterThan(span.begin)
      end = span.end
    }
    expect(end).toBeLessThanOrEqual(text.length)
  }
})

test('what bash would not read stays plain', () => {
  for (const text of ['echo "', 'if true; # then', 'ls )', '']) {
    expect(highlightShell(text)).toEqual([])
  }
})
