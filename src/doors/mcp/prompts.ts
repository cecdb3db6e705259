/**
 * MCP prompts with which a person lets an agent start a definition: one per definition, with the
 * inputs of its first stage as arguments.
 */
import { type GetPromptResult, type Prompt, ProtocolError } from '@modelcontextprotocol/server'
import { definitionFor, definitionsFor, inputsFor } from './definitions.ts'
import type { ToolContext } from './tool-context.ts'
import { fullName } from './tool-names.ts'

export type Prompts = {
  readonly list: () => Promise<Prompt[]>
  readonly get: (name: string, args: Readonly<Record<string, string>>) => Promise<GetPromptResult>
}

const invalidParams = -32_602
const argsMax = 100

/** An argument that every definition takes. */
const goal = { name: 'goal', description: 'the goal of this run', required: false }

export function openPrompts(context: ToolContext): Prompts {
  return {
    list: async () => {
      const all = await definitionsFor(context)
      return Promise.all(all.map(async ({ name }) => promptOf(context, name)))
    },
    get: async (name, args) => {
      const definition = await definitionFor(context, name)
      if (definition === null) throw new ProtocolError(invalidParams, `Unknown prompt: ${name}`)
      const { arguments: known = [] } = await promptOf(context, name)
      const odd = Object.keys(args).find((key) => !known.some((one) => one.name === key))
      if (odd !== undefined) {
        const names = known.map((one) => `\`${one.name}\``).join(', ')
        throw new ProtocolError(
          invalidParams,
          `unknown argument \`${odd}\`; the prompt takes ${names}`,
        )
      }
      const text = promptText(context, name, args)
      const description = `Start \`${name}\``
      return { description, messages: [{ role: 'user', content: { type: 'text', text } }] }
    },
  }
}

async function promptOf(context: ToolContext, name: string): Promise<Prompt> {
  const definition = await definitionFor(context, name)
  const inputs = definition === null ? [] : await inputsFor(definition, name)
  const fields = inputs.filter((one) => one.name !== goal.name).slice(0, argsMax)
  return {
    name,
    title: `Start ${name}`,
    description: `Load \`${name}\` and work through it`,
    arguments: [goal, ...fields.map((one) => ({ ...one, required: false }))],
  }
}

function promptText(
  context: ToolContext,
  name: string,
  args: Readonly<Record<string, string>>,
): string {
  const { [goal.name]: wanted = '', ...fields } = args
  const given = Object.entries(fields).map(([key, value]) => `- ${key}: ${value}`)
  const call = `\`${fullName('load_workflow', context)}\` and \`${JSON.stringify({ name })}\``
  return [
    `Load the workflow \`${name}\` with ${call}, then work through it: do what each state ` +
      'says, use only the tools it allows, and move on only with its own tools.',
    ...(wanted === '' ? [] : [`Goal: ${wanted}`]),
    ...(given.length === 0 ? [] : [`Already known:\n${given.join('\n')}`]),
  ].join('\n\n')
}
