/**
 * A reason in a line that has named its subject already. WHY: a line is cut at its end, and
 * "`git push --force origin main` is not on the list" would lose the part that matters.
 */

/** The reason without the name it begins with, if that is one of those shown beside it. */
export function reasonBeside(reason: string, shown: readonly string[]): string {
  const [all = '', named = ''] = /^`([^`\n]+)`\s+/.exec(reason) ?? []
  const rest = reason.slice(all.length)
  return named !== '' && rest !== '' && shown.includes(named) ? rest : reason
}
