/**
 * What a program has said to a terminal, as text: colours and cursor movements go, and of a line
 * that was written over the last writing stays.
 */
const escapeSign = String.fromCharCode(27)
const bell = String.fromCharCode(7)
const titles = new RegExp(
  `${escapeSign}\\][^${bell}${escapeSign}]*(?:${bell}|${escapeSign}\\\\)`,
  'g',
)
const colours = new RegExp(`${escapeSign}(?:\\[[0-?]*[ -/]*[@-~]|[@-Z\\\\-_])`, 'g')

/** The text without what steers a terminal. */
export function plainText(text: string): string {
  return text
    .replaceAll(titles, '')
    .replaceAll(colours, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\n]*\r(?=[^\n])/g, '')
}
