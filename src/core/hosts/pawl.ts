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
    lacks: none('a caller without a host names the tool itself'),
    free: none('without a host there is no bookkeeping'),
  },
} satisfies ToolVocabulary
