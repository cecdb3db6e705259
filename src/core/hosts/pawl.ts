/**
 * Calls that come from no agent host, such as jobs, outgoing requests and the API: they are
 * spelled as in definitions, which is as Claude Code spells them.
 */
import { claudeHost } from './claude.ts'
import { none, type ToolVocabulary } from './host-descriptor.ts'

export const pawlVocabulary = {
  id: 'pawl',
  title: 'Pawl',
  tools: {
    ...claudeHost.tools,
    lacks: none('who has no host names the tool that is meant'),
    free: none('there is no host that would keep books'),
  },
} satisfies ToolVocabulary
