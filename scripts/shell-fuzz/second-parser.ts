/**
 * A second opinion on where the commands of a text are: tree-sitter's grammar of bash, which
 * shares no code with the parser that decides. It recovers from errors, so a tree with an error
 * proves nothing.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Language, type Node, Parser } from 'web-tree-sitter'
import { readShell } from '../../src/core/shell/read-shell.ts'

export type SecondParser = {
  /** Names of commands that are plainly written; null: it could not read the text. */
  readonly namesIn: (text: string) => readonly string[] | null
}

/** Loads the grammar once. */
export async function loadSecondParser(): Promise<SecondParser> {
  await Parser.init()
  const find = createRequire(import.meta.url)
  const wasm = find.resolve('tree-sitter-bash/tree-sitter-bash.wasm')
  const parser = new Parser()
  parser.setLanguage(await Language.load(new Uint8Array(readFileSync(wasm))))
  return {
    namesIn: (text) => {
      const tree = parser.parse(text)
      if (tree === null) return null
      try {
        return tree.rootNode.hasError ? null : commandNames(tree.rootNode)
      } finally {
        tree.delete()
      }
    },
  }
}

function commandNames(root: Node): readonly string[] {
  const names: string[] = []
  for (const node of root.descendantsOfType([
    'command_name',
    'declaration_command',
    'unset_command',
  ])) {
    if (node === null) continue
    const name = node.type === 'command_name' ? plainName(node.text) : node.child(0)?.text
    if (name !== undefined && name !== null) names.push(name)
  }
  return names
}

/** The name without its quotes; null: it is not a plain word. */
function plainName(text: string): string | null {
  const joined = text.replaceAll('\\\n', '')
  const bare = /^(?:'([^']*)'|"([^"$`\\]*)"|([^'"$`\\*?[{}\]~]+))$/.exec(joined)
  if (bare === null) return null
  return bare[1] ?? bare[2] ?? bare[3] ?? null
}

/** Words of the language, which tree-sitter at times takes for commands: `! if`, `! ((1))`. */
const reserved: ReadonlySet<string> = new Set([
  ...['if', 'then', 'elif', 'else', 'fi', 'for', 'in', 'do', 'done', 'while', 'until', 'select'],
  ...['case', 'esac', 'function', 'time', 'coproc', '!', '{', '}', '[[', ']]'],
])

/** `! for …` is taken for a command called `for`, and what follows for more of them. */
const negatedCompound = /!\s*(for|if|while|until|case|select|function|coproc|\(\(|\[\[)/

/**
 * Names that the second parser sees and Pawl does not; null: one of the two could not read it.
 * A backslash is read wrongly by tree-sitter in names, in backticks and in here-documents, so
 * such texts are left to the runs under strace.
 */
export function missedBy(second: SecondParser, text: string): readonly string[] | null {
  if (text.includes('\\') || negatedCompound.test(text)) return null
  const reading = readShell(text)
  const names = second.namesIn(text)
  if (!reading.ok || names === null) return null
  const seen = new Set(reading.commands.map((command) => command.words[0] ?? ''))
  return names.filter((name) => /^[A-Za-z]/.test(name) && !seen.has(name) && !reserved.has(name))
}
