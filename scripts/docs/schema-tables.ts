/**
 * JSON Schema as Markdown: one table of fields for an object, and one section for each definition
 * that it refers to. Knows JSON Schema and Markdown, and nothing about Pawl.
 */

export type FieldSchema = {
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, FieldSchema>>
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly FieldSchema[]
  readonly oneOf?: readonly FieldSchema[]
  readonly items?: FieldSchema
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly additionalProperties?: FieldSchema | boolean
  readonly required?: readonly string[]
  readonly description?: string
}

/** How references are written: where the section of a definition is. */
export type SchemaContext = {
  readonly defs: Readonly<Record<string, FieldSchema>>
  /** The address of the section of a definition. */
  readonly linkTo: (name: string) => string
}

/** The table of an object's fields, with the fields of nested objects below their own. */
export function fieldTable(schema: FieldSchema, context: SchemaContext): string {
  const rows = nestedRows(schema, '', context)
  if (rows.length === 0) return `Value: ${typeText(schema, context)}.\n`
  return `| Field | Value | Meaning |\n|---|---|---|\n${rows.join('')}`
}

function fieldRows(schema: FieldSchema, prefix: string, context: SchemaContext): string[] {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const need = required.has(name) ? ' (required)' : ''
    const meaning = meaningOf(field, context)
    const cells = [`\`${path}\`${need}`, typeText(field, context), meaning].map(cell)
    return [`| ${cells.join(' | ')} |\n`, ...nestedRows(field, path, context)]
  })
}

/** The description of a field, or of the schema that it refers to under a made-up name. */
function meaningOf(field: FieldSchema, context: SchemaContext): string {
  const aliases = alternatives(field).filter(isAlias)
  const sources = [field, resolved(field, context), ...aliases.map((one) => resolved(one, context))]
  return sources.find((one) => one.description !== undefined)?.description ?? ''
}

/** The rows of anonymous objects inside of a field. */
function nestedRows(field: FieldSchema, path: string, context: SchemaContext): string[] {
  if (isAlias(field)) return nestedRows(resolved(field, context), path, context)
  if (field.$ref !== undefined) return []
  const inside = [
    ...(field.properties === undefined ? [] : fieldRows(field, prefixOf(path), context)),
    ...(field.items === undefined ? [] : nestedRows(field.items, `${path}[]`, context)),
    ...new Set(alternatives(field).flatMap((one) => variantRows(one, path, context))),
  ]
  const members = field.additionalProperties
  if (typeof members !== 'object') return inside
  return [...inside, ...nestedRows(members, `${path}.NAME`, context)]
}

/** The rows of one of several kinds of object; each is marked with its `type`, if it has one. */
function variantRows(variant: FieldSchema, path: string, context: SchemaContext): string[] {
  const kind = variant.properties?.type?.const
  if (kind === undefined) return nestedRows(variant, path, context)
  const rows = fieldRows(variant, prefixOf(path), context)
  return rows.map((row) => row.replace(/^\| (`[^`]+`)/, `| $1 for \`${String(kind)}\``))
}

function prefixOf(path: string): string {
  return path === '' ? '' : `${path}.`
}

/** What a value looks like, in a few words. */
export function typeText(schema: FieldSchema, context: SchemaContext): string {
  if (isAlias(schema)) return typeText(resolved(schema, context), context)
  if (schema.$ref !== undefined) {
    const name = nameOfRef(schema.$ref)
    return `[${name}](${context.linkTo(name)})`
  }
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(', ')
  const some = alternatives(schema)
  if (some.length > 0) {
    return [...new Set(some.map((one) => typeText(one, context)))].join(' or ')
  }
  if (schema.items !== undefined) return `list of ${typeText(schema.items, context)}`
  if (schema.properties !== undefined) return 'object'
  if (typeof schema.additionalProperties === 'object') {
    const member = typeText(schema.additionalProperties, context)
    return member === 'any value' ? 'object' : `by name: ${member}`
  }
  if (schema.type === undefined) return 'any value'
  return [schema.type].flat().map(plainType).join(' or ')
}

function plainType(type: string): string {
  if (type === 'string') return 'text'
  if (type === 'boolean') return '`true`, `false`'
  return type === 'array' ? 'list' : type
}

function alternatives(schema: FieldSchema): readonly FieldSchema[] {
  return schema.anyOf ?? schema.oneOf ?? []
}

/** A reference under a name that the library made up has no section of its own. */
function isAlias(schema: FieldSchema): boolean {
  return schema.$ref?.includes('/__schema') === true
}

function resolved(schema: FieldSchema, context: SchemaContext): FieldSchema {
  if (schema.$ref === undefined) return schema
  return context.defs[nameOfRef(schema.$ref)] ?? {}
}

function nameOfRef(ref: string): string {
  return ref.split('/').at(-1) ?? ref
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
