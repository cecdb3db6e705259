import { expect, test } from 'vitest'
import { hookMeanings } from '../../../core/hosts/host-descriptor.ts'
import { agentHostIds, agentHosts, listIn } from '../../../core/hosts/registry.ts'
import { hookProtocolOf, hookProtocols } from './host-protocols.ts'

/** A session and a call, in the fields of every host. */
const payload = {
  ...{ session_id: 's', sessionID: 's', conversation_id: 's' },
  ...{ tool_name: 'x', tool_input: {}, tool: 'x', args: {}, tool_use_id: 't', callID: 't' },
  ...{ command: 'ls', file_path: 'a', prompt: 'go' },
}

test.each(agentHostIds)('%s: every event that its descriptor lists is what it says', (host) => {
  for (const meaning of hookMeanings) {
    for (const name of listIn(agentHosts[host].events[meaning])) {
      const event = hookProtocols[host].read({ ...payload, hook_event_name: name })?.event
      expect(event?.kind, name).toBe(meaning === 'failure' ? 'report' : meaning)
    }
  }
})

test.each(agentHostIds)('%s: an event that its descriptor does not list is not read', (host) => {
  expect(hookProtocols[host].read({ ...payload, hook_event_name: 'NoSuchEvent' })).toBe(null)
  expect(hookProtocols[host].host).toBe(host)
})

test('there is no protocol for what is no host with hooks', () => {
  for (const name of ['mcp', 'pawl', '__proto__', 'constructor', '']) {
    expect(hookProtocolOf(name, null)).toBe(null)
  }
})

test('gemini: what a hook has told before the first prompt is not the words of the person', () => {
  const told = '<hook_context>[Pawl] Run r1 of `a`: x &lt; y.\nTools: Read.</hook_context>\n\n'
  const read = (prompt: string): unknown =>
    hookProtocols.gemini.read({ ...payload, hook_event_name: 'BeforeAgent', prompt })?.event
  const heard = { kind: 'prompt', by: 'person', text: 'Fix <b>.' }
  expect(read(`${told}${told}Fix <b>.`)).toEqual(heard)
  expect(read('Fix <b>.')).toEqual(heard)
})

test('who has sent a payload counts more than whose hook it has run', () => {
  const fields = { hook_event_name: 'PreToolUse', session_id: 's', tool_name: 'Bash' }
  expect(hookProtocolOf('claude', fields)?.host).toBe('claude')
  const timed = { ...fields, timestamp: '2026-01-01T00:00:00.000Z' }
  expect(hookProtocolOf('claude', timed)?.host).toBe('copilot')
  expect(hookProtocolOf('qwen', timed)?.host).toBe('qwen')
})
