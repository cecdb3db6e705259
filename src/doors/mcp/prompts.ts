/**
 * Prompts by which a person has an agent begin a definition: one for each, with what its first
 * stage asks for as arguments.
 */
import { type GetPromptResult, type Prompt, ProtocolError } from '@modelcontextprotocol/server'
import { definitionFor, definitionsFor, inputsFor } from './definitions.ts'
import type { ToolContext } from './tool-context.ts'

export type Prompts = {
  readonly list: () => Promise<Prompt[]>
  readonly get: (name: string, args: Readonly<Record<string, string>>) => Promise<GetPromptResult>
}

const invalidParams = -32_602
const argsMax = 100

/** An argument that every definition takes. */
const goal = { name: 'goal', description: 'what is to be achieved', required: false }

export function openPrompts(desk: ToolContext): Prompts {
  return {
    list: async () => {
      const all = await definitionsFor(desk)
      return Promise.all(all.map(async ({ name }) => promptOf(desk, name)))
    },
    get: async (name, args) => {
      const definition = await definitionFor(desk, name)
      if (definition === null) throw new ProtocolError(invalidParams, `Unknown prompt: ${name}`)
      const { arguments: known = [] } = await promptOf(desk, name)
      const odd = Object.keys(args).find((key) => !known.some((one) => one.name === key))
      if (odd !== undefined) {
        const names = known.map((one) => `\`${one.name}\``).join(', ')
        throw new ProtocolError(invalidParams, `\`${odd}\` is no argument; it takes ${names}`)
      }
      const text = textOf(desk, name, args)
      const description = `Begin \`${name}\``
      return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
    },
  }
}

async function promptOf(desk: ToolContext, name: string): Promise<Prompt> {
  const definition = await definitionFor(desk, name)
  const inputs = definition === null ? [] : await inputsFor(definition)
  const fields = inputs.filter((one) => one.name !== goal.name).slice(0, argsMax)
  return {
    name,
    title: `Begin ${name}`,
    description: `Load \`${name}\` and work through it`,
    arguments: [goal, ...fields.map((one) => ({ ...one, required: false }))],
  }
}

function textOf(desk: ToolContext, name: string, args: Readonly<Record<string, string>>): string {
  const { [goal.name]: wanted = '', ...fields } = args
  const given = Object.entries(fields).map(([key, value]) => `- ${key}: ${value}`)
  const call = `\`${desk.prefix}load_workflow\` and \`${JSON.stringify({ name })}\``
  return [
    `Load the workflow \`${name}\` with ${call}, then work through it: do what each stage says, ` +
      'with the tools that it allows, and move on by its own tools only.',
    ...(wanted === '' ? [] : [`What is to be achieved: ${wanted}`]),
    ...(given.length === 0 ? [] : [`Known already:\n${given.join('\n')}`]),
  ].join('\n\n')
}
