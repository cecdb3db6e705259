/**
 * The workflow that agents in tests of hosts are held to: plan, implement, ask a person, be done.
 */

export const workflow = {
  id: 'feature',
  initial: 'planning',
  states: {
    planning: {
      instructions: 'Read the code and make a plan. Change nothing.',
      allowed_tools: ['Read', 'Grep', 'Glob', 'Agent'],
      max_iterations: 200,
      on: { PLANNED: 'implementing', FREE: 'free' },
    },
    implementing: {
      instructions: 'Write `feature.txt`, then run `node check.mjs`.',
      allowed_tools: ['Read', 'Edit', 'Write', 'Bash', 'Agent'],
      allowed_commands: ['node check.mjs'],
      max_iterations: 200,
      on: { BUILT: { target: 'done', requires_approval: true, approval_message: 'ship it?' } },
    },
    // Permits everything, so that only what Pawl itself protects is refused.
    free: { instructions: 'Do what you like.', max_iterations: 200, on: { BUILT: 'done' } },
    done: { type: 'final' },
  },
}
