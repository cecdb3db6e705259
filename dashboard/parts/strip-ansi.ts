/**
 * Converts terminal output to plain text: removes colours and cursor movements, and keeps only the
 * last version of an overwritten line.
 */
const escapeSign = String.fromCharCode(27)
const bell = String.fromCharCode(7)
const titles = new RegExp(
  `${escapeSign}\\][^${bell}${escapeSign}]*(?:${bell}|${escapeSign}\\\\)`,
  'g',
)
const colours = new RegExp(`${escapeSign}(?:\\[[0-?]*[ -/]*[@-~]|[@-Z\\\\-_])`, 'g')

/** The text without what steers a terminal. */
export function stripAnsi(text: string): string {
  return text
    .replaceAll(titles, '')
    .replaceAll(colours, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\n]*\r(?=[^\n])/g, '')
}
