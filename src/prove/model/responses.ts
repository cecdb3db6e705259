/** OpenAI's responses API, as Codex uses it. */
import type { JsonObject } from '../../core/json.ts'
import {
  argumentsOf,
  type ModelApi,
  type ModelCall,
  type ModelInput,
  type ModelReply,
  type ModelRequest,
  namedEvent,
  objectsIn,
  payloadText,
  promptWords,
  replyTokens,
  trailing,
} from './model-api.ts'

export const responsesApi: ModelApi = {
  path: /\/responses$/,
  callPrefix: 'call_',
  read,
  whole,
  pieces,
}

const ownItems = /^(function_call|custom_tool_call|local_shell_call|tool_search_call|reasoning)$/

function read(body: JsonObject): ModelRequest {
  const items: readonly JsonObject[] =
    typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : objectsIn(body.input)
  // WHY: newer models of Codex get their tools as an item of the input.
  const late = items.filter((one) => one.type === 'additional_tools')
  const tools = [...objectsIn(body.tools), ...late.flatMap((one) => objectsIn(one.tools))]
  const users = items.filter((one) => one.role === 'user')
  const isOwn = (item: JsonObject): boolean =>
    item.role === 'assistant' || ownItems.test(payloadText(item.type))
  return {
    model: payloadText(body.model),
    isStream: body.stream === true,
    tools: tools.flatMap(toolNames),
    // The host puts its own words before those of the user.
    firstWords: users.map((one) => promptWords(one.content)).join('\n'),
    system: payloadText(body.instructions),
    told: trailing(items, (one) => !isOwn(one)).flatMap(toldIn),
  }
}

function toolNames(tool: JsonObject): readonly string[] {
  if (tool.type !== 'namespace') return [payloadText(tool.name) || payloadText(tool.type)]
  return objectsIn(tool.tools).map((one) => `${payloadText(tool.name)}/${payloadText(one.name)}`)
}

function toldIn(item: JsonObject): readonly ModelInput[] {
  if (payloadText(item.type).endsWith('_output')) {
    // What a search has found comes as tools.
    const text = promptWords(item.output ?? item.tools)
    return [{ callId: payloadText(item.call_id), text, isError: false }]
  }
  if (item.role === undefined) return []
  return [{ callId: null, text: promptWords(item.content), isError: false }]
}

function whole({ id, model, at, text, calls, promptTokens }: ModelReply): JsonObject {
  const words = text === null ? [] : [messageItem(id, text)]
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: at,
    model,
    status: 'completed',
    output: [...words, ...calls.map(callItem)],
    usage: {
      input_tokens: promptTokens,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: replyTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: promptTokens + replyTokens,
    },
  }
}

function messageItem(id: string, text: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
}

function callItem(call: ModelCall): JsonObject {
  const { id, name, kind, namespace } = call
  const common = { id: `item_${id}`, call_id: id, status: 'completed' }
  if (kind === 'custom') {
    return { type: 'custom_tool_call', ...common, name, input: argumentsOf(call) }
  }
  if (kind === 'local_shell') {
    return { type: 'local_shell_call', ...common, action: { type: 'exec', ...objectOf(call) } }
  }
  if (kind === 'search') {
    const execution = 'client'
    return { type: 'tool_search_call', ...common, execution, arguments: objectOf(call) }
  }
  const place = namespace === null ? {} : { namespace }
  return { type: 'function_call', ...common, name, ...place, arguments: argumentsOf(call) }
}

function objectOf({ input }: ModelCall): JsonObject {
  return objectsIn([input])[0] ?? {}
}

function pieces(speech: ModelReply): readonly string[] {
  const response = whole(speech)
  const begun = { ...response, status: 'in_progress', output: [], usage: null }
  const events: readonly (readonly [string, JsonObject])[] = [
    ['response.created', { response: begun }],
    ...objectsIn(response.output).flatMap(itemEvents),
    ['response.completed', { response }],
  ]
  return events.map(([type, data], at) => namedEvent(type, { sequence_number: at, ...data }))
}

type Event = readonly [string, JsonObject]

function itemEvents(item: JsonObject, index: number): readonly Event[] {
  const place = { item_id: payloadText(item.id), output_index: index }
  const { empty, events } = contentEvents(item, place)
  return [
    [
      'response.output_item.added',
      { output_index: index, item: { ...item, status: 'in_progress', ...empty } },
    ],
    ...events,
    ['response.output_item.done', { output_index: index, item }],
  ]
}

type Content = { readonly empty: JsonObject; readonly events: readonly Event[] }

function contentEvents(item: JsonObject, place: JsonObject): Content {
  if (item.type === 'function_call') {
    const text = payloadText(item.arguments)
    const name = 'response.function_call_arguments'
    const done: Event = [`${name}.done`, { ...place, arguments: text }]
    return {
      empty: { arguments: '' },
      events: [[`${name}.delta`, { ...place, delta: text }], done],
    }
  }
  if (item.type === 'custom_tool_call') {
    const text = payloadText(item.input)
    const name = 'response.custom_tool_call_input'
    const done: Event = [`${name}.done`, { ...place, input: text }]
    return { empty: { input: '' }, events: [[`${name}.delta`, { ...place, delta: text }], done] }
  }
  if (item.type !== 'message') return { empty: {}, events: [] }
  const [part = {}] = objectsIn(item.content)
  const text = payloadText(part.text)
  const at = { ...place, content_index: 0 }
  return {
    empty: { content: [] },
    events: [
      ['response.content_part.added', { ...at, part: { ...part, text: '' } }],
      ['response.output_text.delta', { ...at, delta: text }],
      ['response.output_text.done', { ...at, text }],
      ['response.content_part.done', { ...at, part }],
    ],
  }
}
