/**
 * A scripted model behind the four APIs that hosts use, on loopback only.
 * Knows HTTP. Must not know hosts; nothing that is sent to it leaves this machine.
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { asObject, type JsonObject } from '../../core/json.ts'
import { anthropicApi } from './anthropic.ts'
import { chatApi } from './chat.ts'
import { geminiApi } from './gemini.ts'
import type { ModelApi, ModelCall, ModelInput, ModelReply, ModelRequest } from './model-api.ts'
import { responsesApi } from './responses.ts'
import { sampleJson } from './sample-json.ts'
import {
  fillLast,
  type Playing,
  playModelScript,
  type Script,
  type ScriptedCall,
} from './script.ts'

/** One request to the model, and what it was answered. */
export type Exchange = {
  readonly lane: string
  /** Which turn of the lane; null: none was used. */
  readonly index: number | null
  readonly offered: readonly string[]
  readonly told: readonly ModelInput[]
  readonly text: string | null
  readonly calls: readonly ModelCall[]
  /** The request as it came, for whoever measures it. */
  readonly body: JsonObject
}

type ModelOptions = {
  readonly script: Script
  /** Runs before an answer is sent, so that a test can act between two turns. */
  readonly onTurn?: (exchange: Exchange) => Promise<void> | void
}

export type Model = {
  readonly url: string
  readonly exchanges: readonly Exchange[]
  readonly unused: () => readonly string[]
  readonly close: () => Promise<void>
}

const modelApis: readonly ModelApi[] = [anthropicApi, responsesApi, chatApi, geminiApi]
const bodyBytesMax = 64 * 1024 * 1024
const promptTokensDefault = 10

/** Starts a model on a port that is free. */
export async function openModel({ script, onTurn }: ModelOptions): Promise<Model> {
  const exchanges: Exchange[] = []
  const playing = playModelScript(script)
  const server = createServer((request, response) => {
    // WHY destroyed: a host that goes away in the middle has nobody to answer to.
    serve(request, response).catch(() => response.destroy())
  })
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? '/'
    const body = await readBody(request)
    const path = url.split('?')[0] ?? ''
    const api = modelApis.find((one) => one.path.test(path))
    if (api === undefined || request.method !== 'POST') return sendAside(response, path)
    const asked = api.read(body, url)
    const { turn, ...place } = playing.next(asked)
    const number = exchanges.length + 1
    const calls = callsOf(turn.tools ?? [], { prefix: `${api.callPrefix}${number}_`, asked })
    const { tools: offered, told, replySchema = null } = asked
    const text = replySchema === null ? turn.text : JSON.stringify(sampleJson(replySchema))
    const exchange = { ...place, offered, told, text: text ?? null, calls, body }
    exchanges.push(exchange)
    await onTurn?.(exchange)
    if (turn.delayMs !== undefined) await sleep(turn.delayMs)
    if (turn.error !== undefined) {
      return sendJson(response, turn.error.status, turn.error.body ?? fault('scripted fault'))
    }
    const at = Math.floor(Date.now() / 1000)
    const speech: ModelReply = {
      id: String(number),
      model: asked.model,
      at,
      text: exchange.text,
      calls,
      promptTokens: turn.promptTokens ?? promptTokensDefault,
    }
    if (!asked.isStream) return sendJson(response, 200, api.whole(speech))
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.end(api.pieces(speech).join(''))
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, exchanges, ...ending(server, playing) }
}

function ending(
  server: ReturnType<typeof createServer>,
  playing: Playing,
): Pick<Model, 'unused' | 'close'> {
  return {
    unused: playing.unused,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

type Calling = { readonly prefix: string; readonly asked: ModelRequest }

function callsOf(tools: readonly ScriptedCall[], { prefix, asked }: Calling): readonly ModelCall[] {
  const told = asked.told.map((one) => one.text).join('\n')
  return tools.map(({ id, name, input, kind = 'function', namespace = null }, at) => ({
    id: id ?? `${prefix}${at + 1}`,
    name,
    input: fillLast(input, told),
    kind,
    namespace,
  }))
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) throw new Error('a request to the model is too large')
    chunks.push(chunk)
  }
  try {
    return asObject(JSON.parse(Buffer.concat(chunks).toString('utf8'))) ?? {}
  } catch {
    // No JSON: an empty question, which still gets the next turn.
    return {}
  }
}

/** What hosts ask beside the conversation. */
function sendAside(response: ServerResponse, path: string): void {
  if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: 1000 })
  if (path.endsWith(':countTokens')) return sendJson(response, 200, { totalTokens: 1000 })
  if (path.endsWith('/models')) {
    const data = [{ id: 'mock-model', object: 'model' }]
    return sendJson(response, 200, { object: 'list', data, models: [] })
  }
  sendJson(response, 404, fault(`no such path: ${path}`))
}

function fault(message: string): JsonObject {
  return { type: 'error', error: { type: 'api_error', message } }
}

function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
