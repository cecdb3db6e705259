import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agentHostIds } from '../../core/hosts/registry.ts'
import type { Json } from '../../core/json.ts'
import type { DesiredFile, SetupContext } from './desired-files.ts'
import { hostSetups } from './hosts/host-setups.ts'
import { type Install, undone, undoOf } from './install.ts'
import { type PlannedFile, planInit, planUninit } from './plan-files.ts'

const setting: SetupContext = {
  userFile: null,
  workspace: '/work',
  version: '9.0.0',
  node: '/opt/node',
  program: '/opt/pawl/dist/main/pawl.js',
  home: '/home/me/.local/share/pawl',
  hookCommand: "'/home/me/.local/share/pawl/bin/pawl-hook' claude '/work' || exit 2",
  stopCommand: "'/home/me/.local/share/pawl/bin/pawl-hook' claude '/work' || exit 0",
  http: { url: 'http://127.0.0.1:4411', token: 'secret' },
  isThere: () => false,
}

const jsonFiles = agentHostIds.flatMap((name) =>
  hostSetups[name].wants(setting).filter(({ content }) => content.kind === 'json'),
)

function noted(files: readonly PlannedFile[]): Install {
  const notes = files.flatMap(({ note }) => (note === null ? [] : [{ ...note, mode: null }]))
  const who = { workspace: '/work', host: 'claude', hostVersion: null, wire: 'http' } as const
  return { ...who, at: 0, files: notes, folders: [] }
}

function put(file: DesiredFile, text: string | null): PlannedFile {
  return planInit([file], null, () => text).files[0] as PlannedFile
}

// Names that hosts and Pawl give a meaning are met by chance too seldom.
const key = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom('hooks', 'mcp', 'mcpServers', 'env', 'PreToolUse', 'version', 'statusLine'),
)
const hooksOf = fc.array(fc.dictionary(key, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 }), {
  maxLength: 3,
})
const theirs = fc
  .record(
    {
      hooks: fc.dictionary(key, hooksOf),
      mcpServers: fc.dictionary(key, fc.dictionary(key, fc.string())),
      mcp: fc.dictionary(key, fc.dictionary(key, fc.string())),
      other: fc.jsonValue({ maxDepth: 3 }),
      statusLine: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: [] },
  )
  .filter((value) => !JSON.stringify(value).includes('__proto__'))
const layout = fc.constantFrom(undefined, 1, 2, 4, '\t')
const ending = fc.constantFrom('', '\n', '\r\n', '\n\n // the end\n')

/** The same values with remarks, which JSON does not have, and with the ends of lines that come. */
function dressed(text: string, end: string): string {
  const remarked = text.replace(/\n([ \t]+)"/g, '\n$1// why\n$1"')
  return end === '\r\n' ? remarked.replaceAll('\n', '\r\n') : remarked
}

describe('whatever settings somebody has', () => {
  test.each(jsonFiles.map((file) => [file.path, file] as const))(
    '%s comes back byte for byte, and its values stay while we are in it',
    (_, file) => {
      fc.assert(
        fc.property(theirs, layout, ending, (value, indent, end) => {
          const text = dressed(JSON.stringify(value, null, indent), end) + end
          let planned: PlannedFile
          try {
            planned = put(file, text)
          } catch (fault) {
            // The only thing already exists may be a server of our name.
            expect(JSON.stringify(value)).toContain('pawl')
            expect(String(fault)).toContain('already exists')
            return
          }
          const install = noted([planned])
          const [again] = planInit([file], install, () => planned.after).files
          expect(again?.after).toBe(planned.after)
          const [out] = planUninit([file], install, () => planned.after).files
          expect(out?.after).toBe(text)
        }),
        { numRuns: 30 },
      )
    },
  )

  test('what was not noted is found by what it calls, and its values are left', () => {
    const [file] = jsonFiles as [DesiredFile]
    fc.assert(
      fc.property(theirs, layout, (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        const { after } = put(file, text)
        const [out] = planUninit([file], null, () => after).files
        const left = JSON.parse(out?.after ?? 'null') as Json
        expect(withoutEmpty(left)).toEqual(withoutEmpty(JSON.parse(text)))
      }),
      { numRuns: 30 },
    )
  })

  test('a stretch that was replaced can be put back', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(undone(after, undoOf(before, after))).toBe(before)
      }),
    )
  })
})

/** Lists and objects of hooks that are empty go away with ours. */
function withoutEmpty(value: Json): Json {
  const { hooks, ...others } = value as { readonly [key: string]: Json }
  const kept = Object.entries((hooks ?? {}) as object).filter(([, list]) => list.length > 0)
  return kept.length === 0 ? others : { ...others, hooks: Object.fromEntries(kept) }
}

describe('a block in a text', () => {
  const [, file] = hostSetups.codex.wants(setting) as [DesiredFile, DesiredFile]

  test.each([
    '',
    'model = "x"',
    'model = "x"\n',
    'model = "x"\r\n[a]\r\nb = 1\r\n',
    '# a remark\n[mcp_servers.other]\ncommand = "x"\n',
    '[x]\npawl = 1\n',
  ])('goes behind %j and comes out again', (text) => {
    const planned = put(file, text)
    expect(planned.after).toContain('[mcp_servers.pawl]')
    expect(planned.after?.startsWith(text)).toBe(true)
    const [out] = planUninit([file], noted([planned]), () => planned.after).files
    expect(out?.after).toBe(text)
    const edited = `${planned.after}[more]\n`
    const [left] = planUninit([file], noted([planned]), () => edited).files
    expect(left?.after).not.toContain('pawl:')
    expect(left?.after).toContain('[more]')
  })

  test.each([
    '[mcp_servers.pawl]\n',
    '[ mcp_servers . "pawl" ]\n',
    "mcp_servers.'pawl'.command = 'x'\n",
    'mcp_servers.pawl = {}\n',
    '[mcp_servers.pawl.env]\n',
    '[mcp_servers]\nx = 1\n\npawl = {}\n',
  ])('does not go beside %j', (text) => {
    expect(() => put(file, text)).toThrow('already exists')
  })

  test.each([
    ['\n# <<< pawl\n', '\n'],
    ['\n# <<< pawl\n', '\n# mine\n# <<< pawl\n'],
    ['\n# <<< pawl\n', '\n[mine]\n# <<< pawl\n'],
  ])('without its end, or with more in it, is left alone: %j %j', (mark, instead) => {
    const { after } = put(file, 'model = "x"\n')
    const damaged = `\n${after?.replace(mark, instead)}[providers.mine]\nkey = "secret"\n`
    for (const text of [damaged, `${damaged}${after?.replace('model = "x"\n', '')}`]) {
      expect(() => planUninit([file], null, () => text)).toThrow(/config\.toml:3: .*end mark/)
    }
  })

  test('ends at its mark, whatever blanks are behind that', () => {
    const { after } = put(file, 'model = "x"\n')
    const text = `${after?.trimEnd()} \t\r\n[mine]\n`
    const [out] = planUninit([file], null, () => text).files
    expect(out?.after).toBe('model = "x"\n[mine]\n')
  })

  test('is not put where the file could not be read any more', () => {
    expect(() => put(file, 'x = [\n  ["a"],\n]\nmcp_servers = {}\n')).toThrow('beside yours')
    expect(() => put(file, 'x = = 1\n')).toThrow(/config\.toml:1:5: /)
  })
})
