/**
 * The part of the table of operations that is about jobs.
 */

export const jobsOperations = {
  'jobs.run': {
    method: 'POST',
    path: '/v1/jobs',
    need: 'agent',
    repeats: 'once',
    summary: 'Run a command in its box (process.run); waits for its end unless it is told not to',
  },
  'jobs.list': {
    method: 'GET',
    path: '/v1/jobs',
    need: 'agent',
    repeats: 'same',
    summary: 'List jobs, the newest first (process.list)',
  },
  'jobs.isolation': {
    method: 'GET',
    path: '/v1/isolation',
    need: 'agent',
    repeats: 'same',
    summary: 'What this machine can hold a job with',
  },
  'jobs.read': {
    method: 'GET',
    path: '/v1/jobs/:process_id',
    need: 'agent',
    repeats: 'same',
    summary: 'How a job is doing (process.monitor)',
  },
  'jobs.wait': {
    method: 'GET',
    path: '/v1/jobs/:process_id/wait',
    need: 'agent',
    repeats: 'same',
    summary: 'Wait for the end of a job; answers as `jobs.run` would',
  },
  'jobs.logs': {
    method: 'GET',
    path: '/v1/jobs/:process_id/logs',
    need: 'agent',
    repeats: 'same',
    summary: 'Read what a job has said, page by page (process.logs)',
  },
  'jobs.kill': {
    method: 'POST',
    path: '/v1/jobs/:process_id/kill',
    need: 'agent',
    repeats: 'again',
    summary: 'End a job, or send it a signal (process.kill)',
  },
} as const
