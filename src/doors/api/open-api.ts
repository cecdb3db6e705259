/**
 * The contract as an OpenAPI 3.1 document, from the same table and schemas that requests are
 * checked with.
 */
import { z } from 'zod'
import { contract, streamContract } from './contract.ts'
import { findingSchema } from './definition-schemas.ts'
import {
  type Operation,
  operationNames,
  operations,
  pathFields,
  type StreamName,
  streams,
} from './operations-table.ts'

type Schema = { [key: string]: unknown }
type Parts = { [name: string]: Schema }

const problemSchema = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string().describe('stable code of the problem'),
    detail: z.string().describe('what happened'),
    hint: z.string().describe('what to do next'),
    missing: z.array(z.string()).optional(),
    issues: z
      .array(z.object({ field: z.string(), rule: z.string(), message: z.string() }))
      .optional(),
    findings: z.array(findingSchema).optional(),
  })
  .meta({ id: 'Problem' })

/** The text of the document. */
export function openApiText(): string {
  const parts: Parts = {}
  const paths: { [path: string]: { [method: string]: unknown } } = {}
  for (const name of operationNames) {
    const { method, path } = operations[name]
    const shown = shownPath(path)
    paths[shown] = { ...paths[shown], [method.toLowerCase()]: operationOf(name, parts) }
  }
  for (const name of Object.keys(streams) as StreamName[]) {
    paths[shownPath(streams[name].path)] = { get: streamOf(name, parts) }
  }
  const failure = schemaOf(problemSchema, 'output', parts)
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Pawl',
      version: '1',
      description: 'Runs, approvals and definitions of one daemon.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: 'http://127.0.0.1' }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(parts).sort(([left], [right]) => (left < right ? -1 : 1)),
      ),
      responses: {
        Problem: {
          description: 'The operation failed; `code` says why',
          content: { 'application/problem+json': { schema: failure } },
        },
      },
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ token: [] }],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function shownPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}

function operationOf(name: keyof typeof operations, parts: Parts): Schema {
  const { method, path, need, repeats, summary }: Operation = operations[name]
  const { input, answer } = contract[name]
  const whole = schemaOf(input, 'input', parts)
  const inPath = pathFields(path)
  const hasBody = method === 'POST' || method === 'PUT'
  const parameters = parametersOf(whole, { inPath, rest: hasBody ? 'body' : 'query' })
  if (repeats === 'once') parameters.push(idempotencyKey)
  const made: Schema = {
    operationId: name,
    summary,
    description: needs[need],
    ...(parameters.length === 0 ? {} : { parameters }),
  }
  if (hasBody) made.requestBody = bodyOf(whole, inPath)
  if (need === 'none') made.security = []
  made.responses = {
    200: {
      description: 'Done',
      content: { 'application/json': { schema: schemaOf(answer, 'output', parts) } },
    },
    default: { $ref: '#/components/responses/Problem' },
  }
  return made
}

const needs: Readonly<Record<Operation['need'], string>> = {
  none: 'Needs no token.',
  agent: "Needs an agent's or a person's token.",
  person: "Needs a person's token.",
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description: 'a repeated id returns the same reply',
  schema: { type: 'string', maxLength: 200 },
}

function streamOf(name: StreamName, parts: Parts): Schema {
  const { path, summary } = streams[name]
  const { input, answer } = streamContract[name]
  const whole = schemaOf(input, 'input', parts)
  const resume = {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'id of the last message seen',
    schema: { type: 'integer' },
  }
  return {
    operationId: name,
    summary,
    description: `${needs.agent} The data of each message follows the schema.`,
    parameters: [...parametersOf(whole, { inPath: pathFields(path), rest: 'query' }), resume],
    responses: {
      200: {
        description: 'Server-sent events, until the caller disconnects',
        content: { 'text/event-stream': { schema: schemaOf(answer, 'output', parts) } },
      },
      default: { $ref: '#/components/responses/Problem' },
    },
  }
}

type Places = { readonly inPath: readonly string[]; readonly rest: 'query' | 'body' }

function parametersOf(whole: Schema, { inPath, rest }: Places): Schema[] {
  const properties = (whole.properties ?? {}) as Parts
  const required = (whole.required ?? []) as string[]
  return Object.entries(properties)
    .filter(([field]) => rest === 'query' || inPath.includes(field))
    .map(([field, { description, ...schema }]) => ({
      name: field,
      in: inPath.includes(field) ? 'path' : 'query',
      required: required.includes(field),
      ...(description === undefined ? {} : { description }),
      ...(schema.type === 'array' ? { style: 'form', explode: false } : {}),
      schema,
    }))
}

function bodyOf(whole: Schema, inPath: readonly string[]): Schema {
  if (inPath.length === 0) return { content: { 'application/json': { schema: whole } } }
  const properties = Object.entries((whole.properties ?? {}) as Parts)
  const required = ((whole.required ?? []) as string[]).filter((field) => !inPath.includes(field))
  const schema = {
    ...whole,
    properties: Object.fromEntries(properties.filter(([field]) => !inPath.includes(field))),
    required,
  }
  return { content: { 'application/json': { schema } } }
}

/** A schema whose named parts are kept once for the whole document. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', parts: Parts): Schema {
  const made = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    unrepresentable: 'throw',
    override: ({ jsonSchema }) => {
      // WHY: an answer may have more fields one day, and no reader should stumble over them.
      if (io === 'input' || jsonSchema.additionalProperties !== false) return
      Reflect.deleteProperty(jsonSchema, 'additionalProperties')
    },
  }) as Schema
  const { $schema: _, $defs = {}, ...rest } = made
  for (const [name, part] of Object.entries($defs as Parts)) parts[name] = tidied(part) as Schema
  const { id, ...own } = tidied(rest) as Schema
  if (typeof id !== 'string') return own
  parts[id] = own
  return { $ref: `#/components/schemas/${id}` }
}

/** WHY: the largest safe integer says nothing, and parts have another place in this document. */
function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidied)
  if (typeof value !== 'object' || value === null) return value
  const out: Schema = {}
  for (const [key, member] of Object.entries(value)) {
    if (key === 'maximum' && member === Number.MAX_SAFE_INTEGER) continue
    if (key === 'minimum' && member === Number.MIN_SAFE_INTEGER) continue
    out[key] =
      key === '$ref' ? String(member).replace('#/$defs/', '#/components/schemas/') : tidied(member)
  }
  return out
}
