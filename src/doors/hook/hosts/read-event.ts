/**
 * Converts an event of a host. The host's descriptor says what kind of event it is; each host
 * parses its own fields.
 */
import { assertNever } from '../../../core/assert.ts'
import type { Report } from '../../../core/engine/types.ts'
import type { HookMeaning } from '../../../core/hosts/host-descriptor.ts'
import type { HookEvent, HostCall } from '../hook-protocol.ts'

/** How a host says what an event holds. */
export type EventParts = {
  /** Null: the call cannot be read, so the event is not understood. */
  readonly call: () => HostCall | null
  readonly report: (meaning: 'report' | 'failure') => Report
  readonly promptedBy: () => 'person' | 'host'
  /** What was said to the agent; null: the host does not say. */
  readonly prompt: () => string | null
  /** The settings file that has changed; null: the host does not say. */
  readonly file: () => string | null
}

/** The event that a meaning and its parts are; null: it cannot be read. */
export function readEvent(meaning: HookMeaning | null, parts: EventParts): HookEvent | null {
  switch (meaning) {
    case null:
      // WHY refused: an event that nobody knows may be another way to call a tool.
      return null
    case 'call':
    case 'permission': {
      const call = parts.call()
      return call === null ? null : { kind: meaning, call }
    }
    case 'report':
    case 'failure': {
      const call = parts.call()
      return call === null ? null : { kind: 'report', call, report: parts.report(meaning) }
    }
    case 'declined': {
      const call = parts.call()
      return call === null ? { kind: 'nothing' } : { kind: meaning, call }
    }
    case 'prompt':
      return { kind: 'prompt', by: parts.promptedBy(), text: parts.prompt() ?? '' }
    case 'config':
      return { kind: 'config', file: parts.file() }
    case 'begin':
    case 'end':
    case 'stop':
    case 'agent-begin':
    case 'agent-stop':
    case 'nothing':
      return { kind: meaning }
    default:
      return assertNever(meaning)
  }
}
