/**
 * Step workflows: a whole conversation by a client that knows only the document, and variables
 * that outlive a form.
 */
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import { type LooseJson, type McpWire, useDoors } from './doors.ts'
import { connectFirst } from './forms.ts'

/** Every feature of the document in one workflow, in the envelope of a tool. */
const booking = {
  type: 'context',
  context: {
    task: {
      type: 'steps',
      version: 'v1alpha',
      id: 'booking',
      start: 'auto',
      tool: { name: 'submit_booking', description: 'Advance the booking' },
      variables: [{ name: 'clinic', value: 'Harbour Clinic' }],
      steps: [
        {
          id: 'COLLECT_NAME',
          goal: "Collect the user's name",
          instructions: ["Ask for the user's full name."],
          inputs: [
            { name: 'user_name', description: 'first and last name' },
            { name: 'language', enum: ['en', 'no'], required: false },
          ],
          on: {
            start: [
              { action: 'set', name: 'local.tries', value: 0 },
              { action: 'say', text: 'Welcome to {{clinic}}.' },
            ],
            presubmit: [
              {
                action: 'set',
                name: 'inputs.language',
                value: 'en',
                if: 'inputs.language == `null`',
              },
            ],
            submit: [
              { action: 'save' },
              { action: 'say', text: 'Thank you, {{inputs.user_name}}.' },
            ],
          },
          next: ['VERIFY_DOB'],
        },
        {
          id: 'VERIFY_DOB',
          goal: 'Verify the date of birth',
          instructions: ['Ask {{user_name}} for the date of birth. Try {{local.tries}} of 3.'],
          inputs: [{ name: 'dob', format: 'date' }],
          on: { submit: [{ action: 'inc', name: 'local.tries' }] },
          next: [
            { id: 'LOOK_UP', if: "inputs.dob == '1990-05-01'" },
            { id: 'GIVE_UP', if: 'local.tries >= `3`' },
            { id: 'VERIFY_DOB' },
          ],
        },
        {
          id: 'LOOK_UP',
          goal: 'Look up free times',
          inputs: [{ name: 'slots', type: 'integer' }],
          on: {
            enter: [
              { action: 'call', name: 'find_slots', arguments: { patient: '{{user_name}}' } },
            ],
            submit: [
              {
                action: 'set',
                name: 'summary',
                valueFrom: { type: 'cel', expression: "user_name + ': ' + string(inputs.slots)" },
              },
            ],
          },
          tools: { allow: ['find_slots'], call: true },
          next: [{ id: 'CONFIRM', if: 'inputs.slots >= `1`' }, { id: 'GIVE_UP' }],
        },
        { id: 'CONFIRM', goal: 'Confirm', instructions: ['{{summary}}'], tools: { call: true } },
        { id: 'GIVE_UP', goal: 'Say goodbye', tools: { call: true } },
      ],
    },
  },
}

const followUp = {
  type: 'steps',
  id: 'follow-up',
  tool: { name: 'submit_follow_up' },
  steps: [
    {
      id: 'ASK',
      goal: 'Ask how it went',
      instructions: ['Ask {{user_name}} of ${clinic=nowhere}; {{local.tries}} tries.'],
      inputs: [{ name: 'mood' }],
      on: { submit: [{ action: 'save' }] },
    },
  ],
}

const claim = claimsOf('step workflows')
const doors = useDoors({
  files: {
    '.pawl/definitions/booking.json': JSON.stringify(booking),
    '.pawl/definitions/follow-up.json': JSON.stringify(followUp),
  },
})

connectFirst(doors)

/** A model that answers what each step asks for, and makes the calls it is told to make. */
function openModel(wire: McpWire, answers: Readonly<Record<string, readonly LooseJson[]>>) {
  const heard: string[] = []
  const made: LooseJson[] = []
  const path: string[] = []
  const turns = new Map<string, number>()
  const turn = async (run: LooseJson): Promise<LooseJson> => {
    path.push(run.step)
    if (run.pending_tool_call !== undefined && run.tool_choice === run.pending_tool_call.name) {
      made.push(run.pending_tool_call)
      const { name, arguments: input } = run.pending_tool_call
      const calls = `POST /v1/runs/${run.run}/calls`
      await doors.rest(calls, { as: 'agent', body: { tool: name, input } })
      const reports = `POST /v1/runs/${run.run}/reports`
      await doors.rest(reports, { as: 'agent', body: { ok: true, output: '2 slots' } })
    }
    const client = await doors.client(wire)
    const tool = (await client.tools()).find((one) => one.name === run.submit_tool)
    expect(tool?.description).toBe(run.goal)
    const index = turns.get(run.step) ?? 0
    turns.set(run.step, index + 1)
    const { values } = await doors.tool(wire, run.submit_tool, answers[run.step]?.[index] ?? {})
    heard.push(...(values.say ?? []))
    return values.run
  }
  return {
    heard,
    made,
    path,
    work: async (name: string): Promise<LooseJson> => {
      const { values } = await doors.tool(wire, 'pawl_load_workflow', { name })
      heard.push(...(values.say ?? []))
      let { run } = values
      for (let turnsLeft = 20; run.status === 'running' && turnsLeft > 0; turnsLeft -= 1) {
        run = await turn(run)
      }
      return run
    },
  }
}

for (const wire of ['stdio', 'http'] as const) {
  claim(
    {
      section: 'Complete example',
      quote: 'Each step in a workflow is defined with the following properties',
      check: `a client that knows only the document completes a booking, over ${wire}`,
    },
    async () => {
      const model = openModel(wire, {
        COLLECT_NAME: [{}, { user_name: 'Ann Lee' }],
        VERIFY_DOB: [{ dob: '1 May 1990' }, { dob: '1990-01-05' }, { dob: '1990-05-01' }],
        LOOK_UP: [{ slots: 2 }],
      })
      const end = await model.work('booking')
      expect(end).toMatchObject({ status: 'completed', step: 'CONFIRM', submit_tool: null })
      expect(end.brief).toContain('Ann Lee: 2')
      expect(model.path).toEqual([
        ...['COLLECT_NAME', 'COLLECT_NAME'],
        ...['VERIFY_DOB', 'VERIFY_DOB', 'VERIFY_DOB', 'LOOK_UP', 'CONFIRM'],
      ])
      expect(model.heard).toEqual(['Welcome to Harbour Clinic.', 'Thank you, Ann Lee.'])
      expect(model.made).toEqual([{ name: 'find_slots', arguments: { patient: 'Ann Lee' } }])
      const { values } = await doors.tool(wire, 'pawl_get_state')
      expect(values.context).toMatchObject({ user_name: 'Ann Lee', language: 'en' })
    },
  )

  claim(
    {
      section: 'Global Variables',
      quote: 'Global variables … are accessible to all tools and workflows',
      check: `the next form in the conversation sees the global variables, over ${wire}`,
    },
    async () => {
      const answers = { ASK: [{ mood: 'well' }] }
      const end = await openModel(wire, answers).work('follow-up')
      expect(end.brief).toContain('Ask Ann Lee of Harbour Clinic;')
      const { values } = await doors.tool(wire, 'pawl_get_state')
      expect(values.context).toMatchObject({ user_name: 'Ann Lee', mood: 'well' })
    },
  )

  claim(
    {
      section: 'When to Use Which Scope',
      quote: 'Sharing between concurrent workflows | Global | Task-local is isolated',
      check: `the next form does not see local values, over ${wire}`,
    },
    async () => {
      const { values } = await doors.tool(wire, 'pawl_load_workflow', { name: 'follow-up' })
      expect(values.run.brief).toContain(';  tries.')
      await doors.tool(wire, 'submit_follow_up', { mood: 'well' })
    },
  )
}

claim(
  {
    section: 'Global Variables',
    quote: 'Global | Lifetime: Conversation',
    check: 'another conversation does not see the global variables',
  },
  async () => {
    const other = await doors.connect({ wire: 'http' })
    const { values } = await other.call('pawl_load_workflow', { name: 'follow-up' })
    expect((values.run as LooseJson).brief).toContain('Ask  of nowhere;')
    await other.call('submit_follow_up', { mood: 'well' })
  },
)

claim(
  {
    section: 'Global Variables',
    quote: 'Sharing data between concurrent workflows',
    check: 'while one form is open, a second one is rejected and nothing changes',
    differs: 'steps-concurrent',
  },
  async () => {
    const agent = await doors.connect({ wire: 'http' })
    await agent.call('pawl_load_workflow', { name: 'follow-up' })
    const second = await agent.call('pawl_load_workflow', { name: 'booking' })
    expect(second).toMatchObject({ isError: true, values: { error: { code: 'RUN_EXISTS' } } })
    const done = await agent.call('submit_follow_up', { mood: 'well' })
    expect(done.values.run).toMatchObject({ workflow: 'follow-up', status: 'completed' })
  },
)
