/**
 * Which calls are bookkeeping of their host, by its descriptor: todo lists, the search for tools,
 * what is done about a sub-agent that exists, resources of MCP servers, and Pawl's own skill.
 * Knows names and inputs. Must not know stages or policies: who forbids such a call wins.
 */
import type { Bookkeeping } from '../engine/types.ts'
import type { FreeTools } from '../hosts/host-descriptor.ts'
import { type HostId, hostIds, listIn, toolVocabularies } from '../hosts/registry.ts'
import { type JsonObject, own } from '../json.ts'
import type { KnownTool } from './tool-names.ts'

type FreeGroup = Exclude<keyof FreeTools, 'serverField'>

const kinds: Readonly<Record<FreeGroup, Bookkeeping['kind']>> = {
  notes: 'host',
  search: 'own',
  started: 'host',
  resources: 'servers',
}

/** WHY the cast: the keys of a literal are its names, which the type of `keys` does not say. */
const groups = Object.keys(kinds) as readonly FreeGroup[]

const tables: ReadonlyMap<HostId, ReadonlyMap<string, Bookkeeping>> = new Map(
  hostIds.map((host) => [host, tableOf(host)]),
)

function tableOf(host: HostId): ReadonlyMap<string, Bookkeeping> {
  const { free } = toolVocabularies[host].tools
  if ('none' in free) return new Map()
  const pairs = groups.flatMap((group) =>
    listIn(free[group]).map((name) => [name, bookkeepingBy(host, group)] as const),
  )
  return new Map(pairs)
}

function bookkeepingBy(host: HostId, group: FreeGroup): Bookkeeping {
  return {
    rule: { document: `hosts/${host}`, pointer: `/tools/free/${group}` },
    kind: kinds[group],
  }
}

type Spelled = {
  readonly name: string
  readonly host: HostId
  readonly tool: KnownTool
  /** The host itself says that the tool is one of a server. */
  readonly isServers: boolean
}

/** Why a call is free where nobody forbids it; undefined: it is not. */
export function bookkeepingOf(spelled: Spelled, input: JsonObject): Bookkeeping | undefined {
  const { name, host, tool, isServers } = spelled
  if (isServers) return undefined
  if (tool.commonName === 'Skill' && isOwnSkill(input)) return ownSkill(host)
  return tables.get(host)?.get(name)
}

function ownSkill(host: HostId): Bookkeeping | undefined {
  const { free } = toolVocabularies[host].tools
  if ('none' in free) return undefined
  return { rule: { document: `hosts/${host}`, pointer: '/tools/common/Skill' }, kind: 'own' }
}

/** How hosts name the field that says which skill. */
const skillKeys = ['skill', 'name', 'command'] as const

/** Pawl's skill and command, and the prompts of its server: every name that is given is one. */
function isOwnSkill(input: JsonObject): boolean {
  const given = skillKeys.map((key) => own(input, key)).filter((value) => value !== undefined)
  return given.length > 0 && given.every((value) => ownSkillName.test(String(value)))
}

const ownSkillName = /^\/?(?:pawl|mcp__pawl__[\w-]+)$/

/** The capability of a call that reads resources: of one server, or of nobody knows which. */
export function resourceCapability(input: JsonObject, host: HostId): string {
  const { free } = toolVocabularies[host].tools
  const field = 'none' in free ? free : free.serverField
  const server = typeof field === 'string' ? own(input, field) : undefined
  const isNamed = typeof server === 'string' && /^[^:*]+$/.test(server)
  return isNamed ? `mcp:${server}:resources` : anyResource
}

/** What such a call is to policies when it does not say which server it means. */
export const anyResource = 'mcp:*'
