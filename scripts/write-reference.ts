/**
 * Writes the reference pages that follow from the code: the fields of definitions, the settings of
 * the daemon and the codes of errors, rejections and denials.
 * `npm run reference` writes them; a test fails when they are out of date.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { z } from 'zod'
import * as codes from '../src/core/errors.ts'
import { codeHelp } from '../src/doors/cli/code-help.ts'
import { replyHelp } from '../src/doors/cli/reply-code-help.ts'
import { configSchema } from '../src/home/config.ts'
import { type FieldSchema, fieldTable, type SchemaContext } from './docs/schema-tables.ts'
import { type SchemaName, schemaText } from './write-schemas.ts'

const folder = join(dirname(fileURLToPath(import.meta.url)), '..', 'docs', 'reference')
const note = '<!-- Written by `npm run reference`. Do not edit. -->\n'

/** What the three dialects share is explained once. */
const sharedNames = [
  ...['policy', 'policy_rule', 'deny_rule', 'rate_limit', 'budget_limit', 'approvals', 'paths'],
  'approval_proof',
  ...['call_filter', 'after', 'evidence', 'count', 'sum', 'repeated_failures'],
]

const dialects: readonly (readonly [name: SchemaName, title: string, root: string | null])[] = [
  ['process', 'Process', null],
  ['workflow', 'Workflow', null],
  ['steps', 'Steps', 'task'],
]

function fieldsPage(): string {
  const parts = dialects.map(([name, title, root]) => {
    const { $defs = {}, ...whole } = JSON.parse(schemaText(name)) as FieldSchema
    const linkTo = (def: string): string =>
      sharedNames.includes(def) ? `#shared-${def}` : `#${name}-${def}`
    const context: SchemaContext = { defs: $defs, linkTo }
    const top = root === null ? whole : ($defs[root] ?? {})
    const own = Object.keys($defs).filter(
      (def) => !(sharedNames.includes(def) || def.startsWith('__') || def === root),
    )
    const sections = own.map((def) => section(`${title}: ${def}`, def, context))
    return `## ${title}\n\n${fieldTable(top, context)}\n${sections.join('\n')}`
  })
  const { $defs = {} } = JSON.parse(schemaText('workflow')) as FieldSchema
  const context: SchemaContext = { defs: $defs, linkTo: (def) => `#shared-${def}` }
  const shared = sharedNames.map((def) => section(`Shared: ${def}`, def, context))
  return [
    `# Fields of definitions\n\n${note}
This page lists every field of the three dialects. It is generated from the schemas in
[\`schemas/\`](../../schemas), which your editor can also use.
[Writing definitions](../guides/writing-definitions.md) explains how the fields work together.
Fields that begin with \`x-\` are yours: Pawl ignores them.\n`,
    ...parts,
    `## Shared\n\nPolicies, and other fields that all dialects share.\n\n${shared.join('\n')}`,
  ].join('\n')
}

function section(heading: string, def: string, context: SchemaContext): string {
  return `### ${heading}\n\n${fieldTable(context.defs[def] ?? {}, context)}`
}

function settingsPage(): string {
  const schema = z.toJSONSchema(configSchema, { io: 'input', reused: 'inline' }) as FieldSchema
  const context: SchemaContext = { defs: schema.$defs ?? {}, linkTo: (def) => `#${def}` }
  return `# Settings: \`config.json\`\n\n${note}
This page lists every field of \`config.json\` in the
[data directory](../operate/daemon.md#the-data-directory).
All top-level fields are optional, and comments are allowed. The daemon reads the file when it
starts. After a change, run \`pawl stop\`; the next command starts it again. An unknown field is
an error (\`CONFIG_INVALID\`), and the message gives its position.\n
${fieldTable(schema, context)}`
}

const groups: readonly (readonly [title: string, about: string, codes: readonly string[]])[] = [
  ['Errors', 'A definition with an error cannot be started.', codes.errorCodes],
  [
    'Warnings',
    'The definition can be started, but `pawl check --strict` fails.',
    codes.warningCodes,
  ],
  ['Rejections', 'The run did not accept what was sent.', codes.refusalCodes],
  ['Denials', 'The tool call is not allowed.', codes.denialCodes],
  ['Gateway', 'A call to a server behind the gateway failed.', codes.gatewayCodes],
]

function codesPage(): string {
  const help: Readonly<Record<string, { readonly about: string; readonly advice: string }>> = {
    ...replyHelp,
    ...codeHelp,
  }
  const parts = groups.map(([title, about, list]) => {
    const rows = list.map((code) => {
      const { about: meaning = '', advice = '' } = help[code] ?? {}
      return `| \`${code}\` | ${escaped(meaning)}. | ${escaped(advice)}. |\n`
    })
    const head = '| Code | Meaning | What to do |\n|---|---|---|\n'
    return `## ${title}\n\n${about}\n\n${head}${rows.join('')}`
  })
  return `# Codes\n\n${note}
Programs should match codes, never messages. \`pawl check --explain CODE\` prints the same
explanations in a terminal. The daemon's own codes are listed on
[its page](../operate/daemon.md#when-something-goes-wrong).\n
${parts.join('\n')}`
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|')
}

/** The pages by the path of their file. */
function referencePages(): ReadonlyMap<string, string> {
  return new Map([
    [join(folder, 'definition-fields.md'), fieldsPage()],
    [join(folder, 'settings.md'), settingsPage()],
    [join(folder, 'codes.md'), codesPage()],
  ])
}

/** The names of pages that are not what they should be. */
export function staleReferencePages(): string[] {
  return [...referencePages()].flatMap(([file, text]) => {
    try {
      return readFileSync(file, 'utf8') === text ? [] : [basename(file)]
    } catch {
      // A page that is not there is stale.
      return [basename(file)]
    }
  })
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const [file, text] of referencePages()) writeFileSync(file, text)
}
