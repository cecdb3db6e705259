/**
 * The definitions of the large sample: a migration with many stages, forks and a gate of two
 * people, maintenance where every command is asked about, replies to customers, and a review
 * whose log is very long.
 */

const migration = `\
# Moves the orders of the shop to a new database, without losing one.
id: migration
initial: scoping
context: { rows: null, difference: null }
meta: { task_type: deployment, danger_level: dangerous, capture_output: true }

states:
  scoping:
    instructions: Find out which services use the orders. Send SCOPED.
    allowed_tools: [Read, Grep, Bash]
    allowed_commands: [git log, git diff]
    max_iterations: 30
    on: { SCOPED: taking_stock, NOT_NEEDED: abandoned }
  taking_stock:
    instructions: Count the rows of each table. Send COUNTED with the rows.
    allowed_tools: [Read, Bash]
    allowed_commands: [npm run count]
    max_iterations: 20
    on: { COUNTED: designing }
  designing:
    instructions: Write the new schema down. Send DESIGNED.
    allowed_tools: [Read, Write, Edit]
    max_iterations: 30
    on: { DESIGNED: design_ready }
  design_ready:
    instructions: A person looks at the design. Send BUILD, or REDESIGN after a refusal.
    allowed_tools: [Read]
    on:
      REDESIGN: designing
      BUILD:
        requires_approval: true
        approval_message: Build the migration as designed?
        fork:
          branches:
            schema: { initial: drafting_schema, terminal: schema_done }
            readers: { initial: porting_readers, terminal: readers_done }
            writers: { initial: porting_writers, terminal: writers_done }
          join: all
          on_complete: reviewing_code
          on_fail: designing
  drafting_schema:
    instructions: Write the schema as a migration. Send DRAFTED.
    allowed_tools: [Read, Write, Edit, Bash]
    allowed_commands: [npm run lint]
    on: { DRAFTED: schema_done, STUCK: part_failed }
  schema_done: { type: final }
  porting_readers:
    instructions: Let every reader use the new tables. Send PORTED.
    allowed_tools: [Read, Edit, Bash]
    allowed_commands: [npm test]
    on: { PORTED: readers_done, STUCK: part_failed }
  readers_done: { type: final }
  porting_writers:
    instructions: Let every writer use both tables. Send PORTED.
    allowed_tools: [Read, Edit, Bash]
    allowed_commands: [npm test]
    on: { PORTED: writers_done, STUCK: part_failed }
  writers_done: { type: final }
  part_failed: { type: final, outcome: failed }

  reviewing_code:
    instructions: Read the whole change once more. Send REVIEWED; two suites then run in parallel.
    allowed_tools: [Read, Grep]
    on:
      FOUND_A_FAULT: designing
      REVIEWED:
        fork:
          branches:
            unit: { initial: unit_testing, terminal: unit_passed }
            load: { initial: load_testing, terminal: load_passed }
          join: all
          on_complete: backing_up
          on_fail: reviewing_code
  unit_testing:
    instructions: Run the unit tests. Send PASSED or FAILED.
    allowed_tools: [Bash]
    allowed_commands: [npm test]
    on: { PASSED: unit_passed, FAILED: tests_failed }
  unit_passed: { type: final }
  load_testing:
    instructions: Run the load tests. Send PASSED or FAILED.
    allowed_tools: [Bash]
    allowed_commands: [npm run load]
    on: { PASSED: load_passed, FAILED: tests_failed }
  load_passed: { type: final }
  tests_failed: { type: final, outcome: failed }

  backing_up:
    instructions: Make a backup. Send BACKED_UP.
    allowed_tools: [Bash]
    allowed_commands: [npm run backup]
    on: { BACKED_UP: rehearsing }
  rehearsing:
    instructions: Copy the backup into the new tables. Send REHEARSED.
    allowed_tools: [Bash]
    allowed_commands: [npm run rehearse]
    on: { REHEARSED: checking_rehearsal }
  checking_rehearsal:
    instructions: Compare the copies. Send SAME or DIFFERENT with the difference.
    allowed_tools: [Read, Bash]
    allowed_commands: [npm run compare]
    on: { SAME: ready_to_switch, DIFFERENT: reviewing_code }
  ready_to_switch:
    instructions: Two people decide. Send SWITCH with the rows that were copied.
    allowed_tools: [Read]
    on:
      REWORK: reviewing_code
      SWITCH:
        target: copying
        requires_approval: true
        approval_message: Switch the orders of the shop to the new database?
        approvals: { needed: 2 }
  copying:
    instructions: Copy the orders. Send COPIED.
    allowed_tools: [Bash]
    allowed_commands: [npm run copy]
    on: { COPIED: comparing }
  comparing:
    instructions: Compare both databases. Send SAME or DIFFERENT.
    allowed_tools: [Bash]
    allowed_commands: [npm run compare]
    on: { SAME: switching, DIFFERENT: rolling_back }
  switching:
    instructions: Switch reading to the new tables. Send SWITCHED.
    allowed_tools: [Bash]
    allowed_commands: [npm run switch]
    on: { SWITCHED: watching }
  watching:
    instructions: Watch the errors for an hour. Send CALM or ALARM.
    allowed_tools: [Bash]
    allowed_commands: [npm run health]
    on: { CALM: cleaning_up, ALARM: rolling_back }
  rolling_back:
    instructions: Switch back to the old tables. Send BACK.
    allowed_tools: [Bash]
    allowed_commands: [npm run switch]
    on: { BACK: rolled_back }
  cleaning_up:
    instructions: Remove what is left of the old code. Send CLEAN.
    allowed_tools: [Read, Edit]
    on: { CLEAN: announcing }
  announcing:
    instructions: Tell the team by mail. Send DONE.
    allowed_tools: [mcp__mail__send]
    on: { DONE: migrated }
  migrated: { type: final }
  rolled_back: { type: final, outcome: failed }
  abandoned: { type: final }
`

const maintenance = `\
# Small jobs around the shop. A person approves every command and every new file.
id: maintenance
initial: working
policy:
  role: agent
  ask: [{ capability: bash }, { capability: write }, { capability: "mcp:mail:*" }]

states:
  working:
    instructions: Do what the ticket says. Send DONE when it is done.
    allowed_tools: [Read, Grep, Bash, Write, mcp__mail__send]
    on: { DONE: checking, GIVE_UP: given_up }
  checking:
    instructions: Check your work once more. Send OK or AGAIN.
    allowed_tools: [Read, Grep]
    on: { OK: finished, AGAIN: working }
  finished: { type: final }
  given_up: { type: final, outcome: failed }
`

const ticket = `\
# One ticket, from the report to the fix.
id: ticket
initial: reading
meta: { capture_output: true }
states:
  reading:
    instructions: Read the ticket and find the cause. Send CAUSE.
    allowed_tools: [Read, Grep]
    max_iterations: 60
    on: { CAUSE: fixing, UNCLEAR: rejected }
  fixing:
    instructions: Fix it with the smallest change. Send FIXED.
    allowed_tools: [Read, Edit, Bash]
    allowed_commands: [npm test]
    max_iterations: 60
    on: { FIXED: verifying }
  verifying:
    instructions: Run all tests. Send VERIFIED or BROKEN.
    allowed_tools: [Bash]
    allowed_commands: [npm test]
    max_iterations: 20
    on: { VERIFIED: closed, BROKEN: fixing }
  closed: { type: final }
  rejected: { type: final, outcome: failed }
`

/** How many lines one round of the review adds to the log. */
const linesPerRound = 190

/** WHY: a log of 20,000 events takes a hundred commands this way, and not ten thousand. */
const review = {
  type: 'steps',
  id: 'log-review',
  tool: { name: 'submit', description: 'Goes on.' },
  steps: [
    {
      id: 'READ',
      goal: 'Read the logs of one day after the other',
      inputs: [{ name: 'day' }],
      on: {
        submit: Array.from({ length: linesPerRound }, (_, index) => ({
          action: 'say',
          text: `line ${index + 1} was read: ${index % 17 === 0 ? 'a slow query' : 'nothing new'}`,
        })),
      },
      next: [{ id: 'READ' }],
    },
  ],
}

export const largeDefinitions = [
  { source: migration, format: 'yaml' },
  { source: maintenance, format: 'yaml' },
  { source: ticket, format: 'yaml' },
  { source: JSON.stringify(review), format: 'json' },
] as const
