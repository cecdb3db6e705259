/**
 * The definitions that the sample shows: a release with gates, a hotfix whose edits are asked
 * about, and a bug fix that needs nobody.
 */

const release = `\
# A release of the shop, from the plan to the mail about it.
id: release
initial: planning
context:
  version: null
  error_rate: null
meta:
  task_type: deployment
  calls_max: 120
  danger_level: dangerous
  capture_output: true

states:
  planning:
    instructions: >-
      Read what was merged since the last release. Send PLANNED with the version and one line for
      the notes.
    allowed_tools: [Read, Grep, Glob, Bash]
    allowed_commands: [git log, git diff]
    max_iterations: 12
    on:
      PLANNED: preparing
      NOTHING_TO_SHIP: cancelled

  preparing:
    instructions: >-
      Raise the version, write the notes, and touch nothing else. Send PREPARED; lint and tests are
      then run in parallel.
    allowed_tools: [Read, Edit, Bash]
    allowed_commands: [npm version]
    max_iterations: 10
    max_edit_lines: 40
    max_files_per_state: 3
    on:
      PREPARED:
        fork:
          branches:
            lint: { initial: linting, terminal: lint_ok }
            tests: { initial: testing, terminal: tests_ok }
          join: all
          on_complete: ready
          on_fail: preparing

  linting:
    instructions: Run the linter. Send PASSED or FAILED.
    allowed_tools: [Bash]
    allowed_commands: [npm run lint]
    max_iterations: 3
    on: { PASSED: lint_ok, FAILED: check_failed }
  lint_ok: { type: final }

  testing:
    instructions: Run the tests. Send PASSED or FAILED.
    allowed_tools: [Bash, process.run]
    allowed_commands: [npm test, sh run-tests.sh]
    max_iterations: 3
    on: { PASSED: tests_ok, FAILED: check_failed }
  tests_ok: { type: final }

  check_failed: { type: final, outcome: failed }

  ready:
    instructions: >-
      Everything is prepared. Send SHIP with the version. A person decides; if they refuse, their
      reason tells you what to do, and REWORK takes you back.
    allowed_tools: [Read]
    max_iterations: 6
    on:
      SHIP:
        target: deploying
        requires_approval: true
        approval_message: Lint and tests have passed. Put this version into production?
        approval_editable: [version]
      REWORK: preparing

  deploying:
    instructions: Deploy, look at it, and send RUNNING with the errors per hundred requests.
    allowed_tools: [Bash]
    allowed_commands: [npm run deploy, npm run health]
    env_overrides: { DEPLOY_TARGET: production }
    max_iterations: 8
    on:
      RUNNING: watching

  watching:
    instructions: Look once more whether it has settled, then send SETTLED.
    allowed_tools: [Bash]
    allowed_commands: [npm run health]
    max_iterations: 8
    on:
      SETTLED:
        - { target: announcing, guard: is_healthy }
        - { target: rolling_back }

  rolling_back:
    instructions: Restore the previous version, then send BACK.
    allowed_tools: [Bash]
    allowed_commands: [npm run rollback]
    max_iterations: 4
    on:
      BACK: rolled_back

  announcing:
    instructions: Tell the customers by mail, then send DONE.
    allowed_tools: [Read, mcp__mail__send]
    max_iterations: 4
    on:
      DONE: shipped

  shipped: { type: final }
  rolled_back: { type: final, outcome: failed }
  cancelled: { type: final }

guards:
  # The agent reads the number off a monitor that Pawl cannot see: recorded as claimed.
  is_healthy: { field: error_rate, op: lt, value: 1, source: claimed }
`

const hotfix = `\
# A repair in a hurry: every edit is looked at by a person before it is made.
id: hotfix
initial: finding
meta:
  task_type: bugfix
  danger_level: dangerous
policy:
  role: agent
  ask:
    - capability: Edit

states:
  finding:
    instructions: Find out why customers are charged twice. Send FOUND with the cause.
    allowed_tools: [Read, Grep]
    max_iterations: 10
    on: { FOUND: repairing }
  repairing:
    instructions: Repair it with the smallest change there is, then send REPAIRED.
    allowed_tools: [Read, Edit]
    max_iterations: 10
    max_edit_lines: 20
    on: { REPAIRED: proving }
  proving:
    instructions: Run the tests of the checkout. Send PROVED or BROKEN.
    allowed_tools: [Bash]
    allowed_commands: [npm test]
    max_iterations: 5
    on: { PROVED: repaired, BROKEN: repairing }
  repaired: { type: final }
`

const bugFix = `\
# A bug fix, test first.
id: bug-fix
initial: reproducing
meta:
  task_type: bugfix

states:
  reproducing:
    instructions: Write a test that fails because of the bug. Send FAILS when you have seen it fail.
    allowed_tools: [Read, Grep, Edit, Bash]
    allowed_commands: [npm test]
    max_iterations: 12
    on: { FAILS: fixing, CANNOT: given_up }
  fixing:
    instructions: Make the test pass without changing it. Send PASSES.
    allowed_tools: [Read, Edit, Bash]
    allowed_commands: [npm test]
    max_iterations: 15
    max_edit_lines: 60
    on: { PASSES: fixed, CANNOT: given_up }
  fixed: { type: final }
  given_up: { type: final, outcome: failed }
`

export const sampleDefinitions = [release, hotfix, bugFix] as const

/** Laid over every run of the sample workspace. */
export const samplePolicy = {
  role: 'agent',
  deny: [{ capability: 'mcp:billing:*' }, { capability: 'WebFetch' }],
  ask: [{ capability: 'mcp:mail:*' }, { capability: 'mcp:mail:send' }],
  allow: [{ capability: 'bash', rate_limit: { max_calls: 300, window_seconds: 3600 } }],
}
