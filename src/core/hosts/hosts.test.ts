import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type AstNode, parseSource, walk } from '../../../scripts/tidy/parse.ts'
import { readTree } from '../../../scripts/tidy.ts'
import { mentionsProtectedNames } from '../judge-without-run.ts'
import { isHeld, isSecretPath } from '../tools/protected-commands.ts'
import { toolOf } from '../tools/tool-names.ts'
import { commonToolNames } from './common-tools.ts'
import { type HostDescriptor, hookMeanings } from './host-descriptor.ts'
import {
  type AgentHostId,
  agentHostIds,
  agentHosts,
  fromAgentHosts,
  hostIds,
  listIn,
  listInProse,
  meaningOf,
  provableHostIds,
  toolVocabularies,
} from './registry.ts'

const root = join(import.meta.dirname, '../../..')

/** What is empty in a value, by the path to it. */
function gapsIn(value: unknown, path: string): readonly string[] {
  if (typeof value === 'boolean' || typeof value === 'number') return []
  if (typeof value === 'string') return value.trim() === '' ? [path] : []
  if (Array.isArray(value)) {
    return value.length === 0 ? [path] : value.flatMap((one, i) => gapsIn(one, `${path}[${i}]`))
  }
  if (typeof value !== 'object' || value === null) return [path]
  const members = Object.entries(value)
  if (members.length === 0) return [path]
  return members.flatMap(([key, member]) => gapsIn(member, `${path}.${key}`))
}

function textsIn(field: HostDescriptor['hooksFile']): readonly string[] {
  return typeof field === 'string' ? [field] : []
}

/** Things that more than one host has. */
function sharedBy(pick: (host: HostDescriptor) => readonly string[]): readonly string[] {
  const all = agentHostIds.flatMap((id) => pick(agentHosts[id]))
  return all.filter((one, i) => all.indexOf(one) !== i)
}

test.each(agentHostIds)(
  '%s: what it lacks is not offered, and what is offered has a name',
  (id) => {
    const { offered, tools } = agentHosts[id]
    for (const name of listIn(tools.lacks)) expect(offered[name]).toBeUndefined()
    for (const [common, name] of Object.entries(offered)) {
      expect(toolOf(name, id).commonName, name).toBe(common)
    }
  },
)

describe('a capability means every tool that has it, whichever host names it', () => {
  test.each(agentHostIds)('%s: `agent` and `web`', (id) => {
    const { common } = agentHosts[id].tools
    for (const name of common.Agent ?? []) expect(toolOf(name, id).capability, name).toBe('agent')
    for (const name of [...(common.WebSearch ?? []), ...(common.WebFetch ?? [])]) {
      expect(toolOf(name, id).capability, name).toBe('web')
    }
  })

  const startingTools: Readonly<Partial<Record<AgentHostId, readonly string[]>>> = {
    claude: ['Agent', 'Task', 'Workflow', 'RemoteTrigger'],
    codex: ['spawn_agent', 'collaborationspawn_agent', 'multi_agent_v1spawn_agent'],
    gemini: ['invoke_agent', 'delegate_to_agent'],
    qwen: ['agent', 'task', 'create_sub_session', 'workflow'],
    opencode: ['task'],
    copilot: ['task', 'Agent'],
    kimi: ['Agent', 'AgentSwarm'],
    cline: ['spawn_agent', 'team_spawn_teammate', 'team_run_task'],
  }

  test.each(agentHostIds)('%s: every tool that starts a sub-agent', (id) => {
    for (const name of startingTools[id] ?? []) {
      expect(toolOf(name, id), name).toMatchObject({ capability: 'agent', act: 'agent' })
    }
  })
})

describe('a descriptor is complete', () => {
  test.each(hostIds)('%s: every field says something, or why it does not apply', (id) => {
    const gaps = gapsIn(toolVocabularies[id], id)
    // An empty prefix says that nothing stands in front of the server's name.
    expect(gaps.filter((path) => !path.endsWith('.servers.prefix'))).toEqual([])
  })

  test('a field that was left empty is found', () => {
    expect(gapsIn({ a: [], b: { none: '' }, c: ['x', ' '], d: {}, e: 'x' }, 'host')).toEqual([
      ...['host.a', 'host.b.none', 'host.c[1]', 'host.d'],
    ])
  })

  test.each(hostIds)('%s has the id under which it is registered, and it fits the wire', (id) => {
    expect(toolVocabularies[id].id).toBe(id)
    expect(id).toMatch(/^[a-z][a-z0-9-]{0,31}$/)
  })

  test.each(hostIds)('%s: the shell, patch and viewing tools are among its tools', (id) => {
    const { tools } = toolVocabularies[id]
    expect(toolOf(tools.shell, id).act).toBe('shell')
    for (const name of [...listIn(tools.patches), ...listIn(tools.viewers)]) {
      expect(tools.common.Edit, name).toContain(name)
    }
  })

  test.each(agentHostIds)('%s: what `pawl init` writes is protected', (id) => {
    const { folder, hooksFile, serversFile, tokenFile } = agentHosts[id]
    for (const path of [folder, ...textsIn(hooksFile), serversFile]) {
      expect(isHeld(path), path).toBe(true)
    }
    if (typeof tokenFile !== 'string') return
    expect(tokenFile.split('/')).toHaveLength(2)
    expect(isSecretPath(tokenFile)).toBe(true)
  })

  test.each(agentHostIds)('%s: every protected path is known without a run by a word', (id) => {
    const { anywhere, home, root: atRoot } = agentHosts[id].protectedFiles
    for (const pattern of [...anywhere, ...listIn(home), ...listIn(atRoot)]) {
      const path = pattern.replaceAll('*', 'x')
      expect(pattern).toBe(pattern.toLowerCase())
      expect(isHeld(`/${path}`), path).toBe(true)
      expect(mentionsProtectedNames({ path }), path).toBe(true)
    }
  })

  test.each(agentHostIds)('%s: jobs cannot change its settings, nor see its home', (id) => {
    const { folder, hooksFile, serversFile, readOnlyInWorkspace, hiddenInHome } = agentHosts[id]
    expect(hiddenInHome).toContain(folder)
    for (const path of [...textsIn(hooksFile), serversFile]) {
      const isCovered = readOnlyInWorkspace.some((one) => `${path}/`.startsWith(`${one}/`))
      expect(isCovered, path).toBe(true)
    }
  })

  test.each(agentHostIds)('%s: hooks are installed for events whose meaning is known', (id) => {
    const { installedEvents } = agentHosts[id]
    const meanings = listIn(installedEvents).map((event) => meaningOf(id, event))
    for (const meaning of meanings) expect([null, 'nothing']).not.toContain(meaning)
    if ('none' in installedEvents) return
    const needed = ['call', 'report', 'prompt', 'begin', 'end', 'stop']
    expect(meanings).toEqual(expect.arrayContaining(needed))
  })

  test.each(agentHostIds)('%s: the program, its marks and its wires fit together', (id) => {
    const { program, tryCommand, environmentMarks, wires, tokenFile } = agentHosts[id]
    expect(tryCommand.replace(/^(?:[A-Z_]+=\S+ )*/, '')).toMatch(new RegExp(`^${program} `))
    for (const mark of listIn(environmentMarks)) expect(mark).toMatch(/^[A-Z][A-Z0-9_]*$/)
    // A hook over HTTP has to bring a token, which has to be kept somewhere.
    expect(typeof tokenFile === 'string').toBe(wires.includes('http'))
  })
})

describe('descriptors do not contradict each other', () => {
  test('a tool name means the same tool on every host', () => {
    const meant = new Map<string, string>(commonToolNames.map((name) => [name, name]))
    for (const id of hostIds) {
      for (const common of commonToolNames) {
        for (const name of toolVocabularies[id].tools.common[common] ?? []) {
          expect(meant.get(name) ?? common, `${name} on ${id}`).toBe(common)
          meant.set(name, common)
        }
      }
    }
  })

  test('an event has one meaning on its host, and the same on every other', () => {
    const meant = new Map<string, string>()
    for (const id of agentHostIds) {
      const all = hookMeanings.flatMap((meaning) => listIn(agentHosts[id].events[meaning]))
      expect(new Set(all).size, id).toBe(all.length)
      for (const event of all) {
        const meaning = meaningOf(id, event) ?? ''
        expect(meant.get(event) ?? meaning, `${event} on ${id}`).toBe(meaning)
        meant.set(event, meaning)
      }
    }
  })

  test('no two hosts claim the same program, package, folder, file or mark', () => {
    expect(sharedBy((host) => [...new Set([host.program, ...listIn(host.packages)])])).toEqual([])
    expect(sharedBy((host) => [host.folder, host.title])).toEqual([])
    const files = (host: HostDescriptor): readonly string[] => [
      ...new Set([...textsIn(host.hooksFile), host.serversFile]),
    ]
    expect(sharedBy(files)).toEqual([])
    expect(sharedBy((host) => listIn(host.environmentMarks))).toEqual([])
    expect(sharedBy((host) => host.protectedFiles.anywhere)).toEqual([])
  })

  test('an event that no descriptor lists has no meaning, whatever objects inherit', () => {
    for (const id of agentHostIds) {
      for (const name of ['NoSuchEvent', 'constructor', '__proto__', '']) {
        expect(meaningOf(id, name)).toBe(null)
      }
    }
  })
})

test('a list in prose has commas and an `or`', () => {
  expect(listInProse(['a'])).toBe('a')
  expect(listInProse(['a', 'b'])).toBe('a or b')
  expect(listInProse(['a', 'b', 'c'])).toBe('a, b or c')
})

test('calls of every host that can be started without a person were recorded', () => {
  const text = readFileSync(join(root, 'test/fixtures/hosts/calls.json'), 'utf8')
  const recorded = (JSON.parse(text) as readonly { readonly host: string }[]).map(
    ({ host }) => host,
  )
  expect([...new Set(recorded)].sort()).toEqual([...provableHostIds].sort())
})

describe('the documents keep up', () => {
  const readDoc = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8')

  test.each(agentHostIds)('hosts.md says of %s what is written and which events', (id) => {
    const { title, hooksFile, serversFile, installedEvents } = agentHosts[id]
    const text = readDoc('reference/hosts.md')
    const files = [...textsIn(hooksFile), serversFile]
    for (const word of [title, ...files, ...listIn(installedEvents)]) {
      expect(text, word).toContain(word)
    }
  })

  test('docs/contributing/adding-a-host.md explains every field of a descriptor', () => {
    const text = readDoc('contributing/adding-a-host.md')
    for (const field of Object.keys(agentHosts.claude)) expect(text).toContain(`\`${field}\``)
    for (const meaning of hookMeanings) expect(text).toContain(`\`${meaning}\``)
  })
})

/** Where hosts may be named: their descriptors, and one file per host in three rooms. */
const hostFolders = [
  ...['src/core/hosts/', 'src/doors/hook/hosts/', 'src/doors/init/hosts/', 'src/prove/hosts/'],
]
/** Other files that name one, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'scripts/write-prices.ts': 'names of models, not hosts',
  'src/doors/cli/verbs/hook.ts': 'the example of its help; the registry is not loaded for it',
  'src/doors/cli/verbs/run.ts': 'the examples of its help',
  'src/doors/cli/verbs/statusline.ts': 'only Claude Code has a status line',
  'scripts/bench/box.ts': 'a benchmark of the hooks of Claude Code',
  'scripts/bench/hooks-daemon.ts': 'a benchmark of the hooks of Claude Code',
  'scripts/bench/hooks.ts': 'a benchmark of the hooks of Claude Code',
  'scripts/bench/record-baseline.ts': 'the record of a call of Claude Code',
  'scripts/bench/record-runs.ts': 'the record of a call of Claude Code',
}

/** `cursor` is also a place in a list, so only what is that word alone counts as the host. */
const commonWords: ReadonlySet<string> = new Set(['cursor'])
const claims = [
  ...agentHostIds.filter((id) => !commonWords.has(id)),
  ...fromAgentHosts((host) => host.program),
  ...fromAgentHosts((host) => host.packages),
  ...fromAgentHosts((host) => host.folder),
  ...fromAgentHosts((host) => host.environmentMarks),
]
const literalClaims = claims.map((claim) => claim.replace(/[.]/g, '\\.')).join('|')
const claimed = new RegExp(`(?<![\\w-])(?:${literalClaims})(?![\\w-])|^cursor$`)

/** What a node says that could be about a host; imports and comments are free. */
function saidBy(node: AstNode, parent: AstNode | null): string {
  if (/^(?:Import|Export)/.test(parent?.type ?? '')) return ''
  if (node.type === 'Identifier') return node.name === 'cursor' ? '' : String(node.name)
  if (node.type === 'Literal') {
    return typeof node.value === 'string' ? node.value : String(node.raw ?? '')
  }
  if (node.type !== 'TemplateElement') return ''
  const { raw } = node.value as { readonly raw: string }
  return raw
}

describe('a host is named in its own files only', () => {
  const files = readTree(root)
    .filter(({ path }) => /^(?:src|dashboard|scripts)\//.test(path))
    .filter(({ path }) => !/\.(?:test|contract)\.tsx?$/.test(path))
    .filter(({ path }) => !hostFolders.some((folder) => path.startsWith(folder)))
    .filter(({ text }) => claims.some((claim) => text.includes(claim)) || text.includes('cursor'))
  const naming = files.filter((file) => {
    return walk(parseSource(file).program).some(({ node, parent }) => {
      return claimed.test(saidBy(node, parent))
    })
  })

  test('no other file has an id, a program, a folder or a mark of a host', () => {
    const others = naming.map(({ path }) => path).filter((path) => exceptions[path] === undefined)
    expect(others).toEqual([])
  })

  test('every exception is still needed', () => {
    const paths = naming.map(({ path }) => path)
    expect(Object.keys(exceptions).filter((path) => !paths.includes(path))).toEqual([])
  })
})
