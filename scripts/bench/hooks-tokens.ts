/**
 * What Pawl adds to a conversation, for each host: tokens when a session begins and with a refusal.
 * Asks a real daemon as the host's hooks do, and Pawl's MCP server as the host would. Tokens are
 * characters divided by four. The flagship is the run.
 */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  type AgentHostId,
  agentHosts,
  listIn,
  provableHostIds,
} from '../../src/core/hosts/registry.ts'
import { asObject, type Json, type JsonObject } from '../../src/core/json.ts'
import type { Subject } from './hooks-daemon.ts'

const charsPerToken = 4
const startTokensMax = 400
const refusalTokensMax = 120

/** How `pawl` is started, and where its data is. */
export type Program = { readonly file: string; readonly home: string }

/** Prints a row for each host. */
export async function printTokens(subject: Subject, program: Program): Promise<void> {
  console.log(
    '\ntokens that Pawl adds (characters / 4), with the flagship; tool definitions are sent by' +
      '\nthe host with every request, or found by its search',
  )
  const goals = `(goal ≤ ${startTokensMax})  refusal (goal ≤ ${refusalTokensMax})`
  console.log(`  ${'host'.padEnd(12)}brief + instructions = start ${goals}  tool definitions`)
  for (const host of provableHostIds) {
    const { brief, refusal } = await hookTexts(subject, host)
    const { instructions, tools } = await serverTexts(program, { host, runId: subject.flagshipId })
    const [first, second] = [tokensIn(brief), tokensIn(instructions)]
    const start = `${first} + ${second} = ${first + second}`
    const cells = [start.padEnd(40), String(tokensIn(refusal)).padEnd(22), tokensIn(tools)]
    console.log(`  ${host.padEnd(12)}${cells.join(' ')}`)
  }
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / charsPerToken)
}

type HookTexts = { readonly brief: string; readonly refusal: string }

async function hookTexts(subject: Subject, host: AgentHostId): Promise<HookTexts> {
  const { events, offered } = agentHosts[host]
  const ask = (name: string, more: JsonObject): Promise<JsonObject> => {
    const session = `tokens-${host}`
    const whose = {
      hook_event_name: name,
      session_id: session,
      sessionID: session,
      cwd: '/flagship',
    }
    return post(subject, host, { ...whose, ...more })
  }
  const [prompt = '', call = ''] = [listIn(events.prompt)[0], listIn(events.call)[0]]
  const tool = offered.Write ?? offered.Edit ?? ''
  const input = { file_path: '/flagship/a.js', content: 'x', command: 'x' }
  const asked = { tool_name: tool, tool_input: input, tool, args: input }
  const told = await ask(prompt, { prompt: 'Fix the bug.' })
  const use = { tool_use_id: 'one', callID: 'one' }
  return { brief: textIn(told), refusal: textIn(await ask(call, { ...asked, ...use })) }
}

async function post(subject: Subject, host: AgentHostId, payload: JsonObject): Promise<JsonObject> {
  const response = await fetch(subject.url.replace(/\w+$/, host), {
    method: 'POST',
    headers: { ...subject.flagshipHeaders, 'x-pawl-run': subject.flagshipId },
    body: JSON.stringify(payload),
  })
  // A denial may be one of 422; whatever else went wrong is no text for a model.
  if (!response.ok && response.status !== 422) {
    throw new Error(`${response.url} gave ${response.status}: ${await response.text()}`)
  }
  return (await response.json()) as JsonObject
}

/** The words for the model in an answer, whatever the host calls them; `detail`: a plain block. */
function textIn(answer: JsonObject): string {
  const inner = asObject(answer.hookSpecificOutput ?? null) ?? {}
  const words: readonly (Json | undefined)[] = [
    ...[inner, answer].flatMap((one) => [one.additionalContext, one.permissionDecisionReason]),
    ...[answer.context, answer.message, answer.reason, answer.detail],
  ]
  const found = words.find((one) => typeof one === 'string' && one !== '')
  if (typeof found !== 'string') throw new Error(`nothing was said: ${JSON.stringify(answer)}`)
  return found
}

type Asking = { readonly host: AgentHostId; readonly runId: string }
type ServerTexts = { readonly instructions: string; readonly tools: string }

async function serverTexts({ file, home }: Program, { host, runId }: Asking): Promise<ServerTexts> {
  const client = new Client({ name: 'bench', version: '1' })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [file, 'mcp', '--host', host, '--workspace', home],
    env: { PATH: process.env.PATH ?? '', PAWL_HOME: home, PAWL_NO_AUTOSTART: '1', PAWL_RUN: runId },
  })
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    // What a host gives to its model.
    const shown = tools.map(({ name, description, inputSchema }) => {
      return { name, description, inputSchema }
    })
    return { instructions: client.getInstructions() ?? '', tools: JSON.stringify(shown) }
  } finally {
    await client.close()
  }
}
