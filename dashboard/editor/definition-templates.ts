/** Templates of new definitions, one for each dialect. */
export const definitionTemplates = [
  {
    dialect: 'workflow',
    title: 'Workflow',
    about: 'Phases of work, each with its own tools. The agent sends events.',
    source: `\
id: my-workflow
initial: reading
states:
  reading:
    instructions: Read the task and the code. Send READY when you know what to do.
    allowed_tools: [Read, Grep]
    max_iterations: 20
    on:
      READY: writing
  writing:
    instructions: Make the change. Send DONE; a person reviews it.
    allowed_tools: [Read, Edit]
    max_iterations: 30
    on:
      DONE:
        target: done
        requires_approval: true
        approval_message: Is the change correct?
  done: { type: final }
`,
  },
  {
    dialect: 'process',
    title: 'Process',
    about: 'Questions with fixed answers, like a checklist. The agent answers.',
    source: `\
name: my-checklist
initial: tests
states:
  tests:
    question: Did every test pass?
    answers:
      passed: { next: notes }
      failed: { next: null, action: block }
  notes:
    question: Are the notes written?
    answers:
      "yes": { next: null, action: complete }
      unsure: { next: null, action: notify_human }
`,
  },
  {
    dialect: 'steps',
    title: 'Form of steps',
    about: 'A conversation that collects values. The agent submits inputs.',
    source: `\
type: steps
id: my-form
tool:
  name: submit
  description: Submits the current step of the form.
steps:
  - id: WHAT
    goal: Learn what happened
    instructions:
      - Ask for a one-line summary.
    inputs:
      - name: title
    next:
      - { id: WHO }
  - id: WHO
    goal: Learn whom to notify
    inputs:
      - name: mail
`,
  },
] as const
