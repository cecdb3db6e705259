/**
 * One exported name, one meaning: no two files of the program export the same name.
 */
import type { Complaint } from './imports.ts'
import { type AstNode, isNode, type Source } from './parse.ts'

/** Every exported name that another file exports too; the first one keeps it. */
export function findSharedNames(sources: readonly Source[]): readonly Complaint[] {
  const owners = new Map<string, string>()
  const complaints: Complaint[] = []
  for (const source of sources) {
    if (source.isTest || !/^(src|dashboard)\//.test(source.path)) continue
    for (const { name, at } of declaredExports(source.program)) {
      const owner = owners.get(name)
      const message = `\`${name}\` is already exported by \`${owner}\``
      const line = source.lineOf(at)
      if (owner === undefined) owners.set(name, source.path)
      else complaints.push({ file: source.path, line, rule: 'exported name', message })
    }
  }
  return complaints
}

type ExportedName = { readonly name: string; readonly at: number }

/** Names that a file declares and exports; what it passes on from another file is not its own. */
function declaredExports(program: AstNode): readonly ExportedName[] {
  const statements = program.body as readonly AstNode[]
  return statements.flatMap((statement) => {
    const { declaration } = statement
    if (statement.type !== 'ExportNamedDeclaration' || !isNode(declaration)) return []
    const variables = declaration.declarations as readonly AstNode[] | undefined
    return (variables ?? [declaration])
      .map(({ id }) => id)
      .filter(isNode)
      .map(({ name, start }) => ({ name: String(name), at: start }))
  })
}
