/** Words of commands that stand for the same kind of work, whichever program does it. */

const kinds: readonly string[] = [
  'test tests t pytest py.test unittest nose nose2 jest vitest mocha ava tap tape jasmine karma ' +
    'tox nox nextest rspec minitest phpunit ctest gotestsum playwright cypress spec check',
  'lint eslint biome oxlint tslint standard ruff flake8 pylint golangci-lint clippy rubocop ' +
    'shellcheck',
  'format fmt prettier black gofmt rustfmt isort autopep8',
  'build tsc webpack vite rollup esbuild compile make ninja cmake bundle dist',
  'types typecheck type-check tsc --noemit mypy pyright check-types',
  'install i ci add sync pip pip3 uv poetry pdm bundle',
  'start dev serve',
  'clean rm rimraf del',
  'grep egrep fgrep rg ag ack search',
  'cat head tail less more bat nl view',
  'ls tree dir fd find',
  'switch checkout branch',
  'restore checkout reset',
  'status st',
  'log reflog',
  'commit ci',
  'coverage cov nyc c8',
]

/** The kinds that a word belongs to. */
export const commandSynonyms: ReadonlyMap<string, readonly number[]> = collect()

function collect(): ReadonlyMap<string, readonly number[]> {
  const byWord = new Map<string, number[]>()
  for (const [kind, words] of kinds.entries()) {
    for (const word of words.split(' ')) byWord.set(word, [...(byWord.get(word) ?? []), kind])
  }
  return byWord
}

/** Words in front of others that say what the work is. */
export const packageRunners: ReadonlySet<string> = new Set(
  [
    'npm npx pnpm yarn bun bunx run exec x dlx run-script uv uvx poetry pipenv pdm hatch python',
    'node python3 nodejs -m git kubectl go cargo bundle docker docker-compose compose task just',
    'make',
  ].flatMap((line) => line.split(' ')),
)
