/**
 * The workflow of the demo: a bug fix, test first. Two of its moves need a test run that Pawl did
 * itself, and one needs a person.
 */

export const testCommand = 'node --test'

export const demoWorkflowId = 'fix-bug'

export const demoWorkflow = `\
# A bug fix, test first. Pawl runs the tests itself, so the agent cannot claim a result.
id: ${demoWorkflowId}
initial: understanding
context:
  cause: null
meta:
  task_type: bugfix
  calls_max: 60
  requires_human_approval: true

states:
  understanding:
    instructions: >-
      Read the report and the code it is about. Change nothing yet. Send UNDERSTOOD with the cause.
    allowed_tools: [Read, Grep, Glob]
    max_iterations: 10
    on: { UNDERSTOOD: { target: red, requires: [cause] } }

  red:
    instructions: >-
      Write one test that fails because of the bug. Run the tests as a job, then send RED.
    allowed_tools: [Read, Write, process.run]
    allowed_commands: [${testCommand}]
    max_iterations: 10
    max_files_per_state: 1
    on:
      RED: { target: green, guard: red }

  green:
    instructions: >-
      Make the test pass with the smallest change. Run the tests as a job, then send GREEN.
    allowed_tools: [Read, Edit, Bash, process.run]
    allowed_commands: [${testCommand}]
    max_iterations: 20
    max_edit_lines: 10
    on:
      GREEN: { target: review, guard: green }

  review:
    instructions: >-
      Read your change once more, then send MERGE. A person decides. If they refuse, send REWORK and
      do what their note says.
    allowed_tools: [Read]
    max_iterations: 10
    on:
      MERGE:
        target: merging
        guard: green
        requires_approval: true
        approval_message: The tests failed before the fix and pass with it. Merge?
      REWORK: green

  merging:
    instructions: Add a line to the changelog, then send DONE.
    allowed_tools: [Edit]
    max_iterations: 5
    max_edit_lines: 5
    on: { DONE: done }

  done: { type: final }

guards:
  red: { evidence: ${testCommand}, exit: nonzero, tests_min: 1, fresh: true, grade: job }
  green: { evidence: ${testCommand}, exit: 0, tests_min: 1, fresh: true, grade: job }
`
