/** MCP resources: definitions and their schemas, and the state and log of runs. Read-only. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server'
import { PawlProblem } from '../api/problem.ts'
import { unknownCaller } from './caller-mark.ts'
import { definitionFor, definitionsFor } from './definitions.ts'
import type { RunReadings } from './resolve-run.ts'
import { runSummary, summaryValues } from './run-summary.ts'
import { readPlace, type ToolContext } from './tool-context.ts'

export type Resources = {
  readonly list: () => Promise<Resource[]>
  readonly templates: () => ResourceTemplateType[]
  readonly read: (uri: string) => Promise<ReadResourceResult>
}

const asJson = 'application/json'
const schemas = ['process', 'workflow', 'steps', 'policy'] as const
/** Records of a log that are read at once, the last ones. */
const recordsMax = 500

/** What changes when a run moves. */
export function runUris(runId: string): readonly string[] {
  return [`pawl://runs/${runId}/state`, `pawl://runs/${runId}/log`]
}

export function openResources(context: ToolContext): Resources {
  return {
    list: async () => [
      ...(await definitionsFor(context)).map(({ name, dialect }) => ({
        uri: `pawl://definitions/${encodeURIComponent(name)}`,
        name,
        description: `the definition \`${name}\` (${dialect}) as written by its author`,
        mimeType: 'text/plain',
      })),
      ...schemas.map((name) => ({
        uri: `pawl://schemas/${name}`,
        name: `${name} schema`,
        description: `JSON Schema of a ${name}`,
        mimeType: 'application/schema+json',
      })),
      ...(await runsOf(context)),
    ],
    templates: () => templates,
    read: async (uri) => {
      const [kind, name = '', part = ''] = partsOf(uri)
      const text = await readPart(context, { kind, name, part }).catch(unlessUnknown)
      if (text === null) throw new ResourceNotFoundError(uri)
      const mimeType = kind === 'definitions' ? 'text/plain' : asJson
      return { contents: [{ uri, mimeType, text }] }
    },
  }
}

const templates: ResourceTemplateType[] = [
  {
    uriTemplate: 'pawl://definitions/{name}',
    name: 'definition',
    description: 'a definition as written by its author',
    mimeType: 'text/plain',
  },
  {
    uriTemplate: 'pawl://schemas/{dialect}',
    name: 'schema',
    description: `JSON Schemas of definitions: ${schemas.join(', ')}`,
    mimeType: 'application/schema+json',
  },
  {
    uriTemplate: 'pawl://runs/{run}/state',
    name: 'state of a run',
    description: 'the current state of a run, with its values',
    mimeType: asJson,
  },
  {
    uriTemplate: 'pawl://runs/{run}/log',
    name: 'log of a run',
    description: `the last ${recordsMax} records of a run`,
    mimeType: asJson,
  },
]

async function runsOf(context: ToolContext): Promise<Resource[]> {
  const place = await context.places.find(unknownCaller).catch(() => null)
  if (place === null) return []
  const [state = '', log = ''] = runUris(place.runId)
  return [
    { uri: state, name: 'state of the run', description: 'its current state', mimeType: asJson },
    { uri: log, name: 'log of the run', description: 'its last records', mimeType: asJson },
  ]
}

/** Kind, name and part of an address of ours; nothing where it is none. */
function partsOf(uri: string): readonly string[] {
  const found = /^pawl:\/\/(definitions|schemas|runs)\/([^/?#]{1,1500})(?:\/(state|log))?$/.exec(
    uri,
  )
  try {
    return found === null ? [] : found.slice(1).map((part) => decodeURIComponent(part ?? ''))
  } catch {
    // Nothing that was listed here looks so.
    return []
  }
}

type Part = { readonly kind: string | undefined; readonly name: string; readonly part: string }

/** The text of a resource; null: there is none. */
async function readPart(context: ToolContext, { kind, name, part }: Part): Promise<string | null> {
  switch (`${kind}/${part}`) {
    case 'definitions/':
      return (await definitionFor(context, name))?.source ?? null
    case 'schemas/':
      return schemas.some((one) => one === name) ? readFile(schemaPath(name), 'utf8') : null
    case 'runs/state':
      return stateText(context, await readPlace(context, { runId: name, branch: null }))
    case 'runs/log':
      return logText(context, name)
    default:
      return null
  }
}

function schemaPath(name: string): string {
  return join(import.meta.dirname, '../../../schemas', `${name}.schema.json`)
}

function stateText(context: ToolContext, reading: RunReadings): string {
  return JSON.stringify({ ...runSummary(reading, context), ...summaryValues(reading) }, null, 2)
}

async function logText(context: ToolContext, runId: string): Promise<string> {
  const { head } = await readPlace(context, { runId, branch: null })
  const after = Math.max(0, head.seq - recordsMax)
  const { items } = await context.link.ask('runs.events', { runId, after, limit: recordsMax })
  return JSON.stringify(items, null, 2)
}

function unlessUnknown(fault: unknown): null {
  if (fault instanceof PawlProblem && fault.code === 'RUN_UNKNOWN') return null
  throw fault
}
