/** What a call is about, for a line in a list. Must not know tools, colours or columns. */
import { type JsonObject, own } from '../json.ts'

/** Fields that say it on their own, the most telling first: a pattern more than where it is. */
const telling = [
  ...['command', 'cmd', 'file_path', 'filePath', 'absolute_path', 'notebook_path'],
  ...['pattern', 'url', 'path', 'query', 'subject'],
] as const

/** The command, file, pattern or address of a call; null: no field of its input says it alone. */
export function callSubject(input: JsonObject): string | null {
  const found = telling.map((name) => own(input, name)).find((one) => typeof one === 'string')
  return typeof found === 'string' ? found : null
}
