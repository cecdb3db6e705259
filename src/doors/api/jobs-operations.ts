/** Operations about jobs. */

export const jobsOperations = {
  'jobs.run': {
    method: 'POST',
    path: '/v1/jobs',
    need: 'agent',
    repeats: 'once',
    summary:
      'Run a command in isolation (process.run); waits until it ends unless `background` is set',
  },
  'jobs.list': {
    method: 'GET',
    path: '/v1/jobs',
    need: 'agent',
    repeats: 'same',
    summary: 'List jobs, newest first (process.list)',
  },
  'jobs.isolation': {
    method: 'GET',
    path: '/v1/isolation',
    need: 'agent',
    repeats: 'same',
    summary: 'Get the isolation that this machine supports',
  },
  'jobs.read': {
    method: 'GET',
    path: '/v1/jobs/:process_id',
    need: 'agent',
    repeats: 'same',
    summary: 'Get the status of a job (process.monitor)',
  },
  'jobs.wait': {
    method: 'GET',
    path: '/v1/jobs/:process_id/wait',
    need: 'agent',
    repeats: 'same',
    summary: 'Wait until a job ends; returns what `jobs.run` returns',
  },
  'jobs.logs': {
    method: 'GET',
    path: '/v1/jobs/:process_id/logs',
    need: 'agent',
    repeats: 'same',
    summary: 'Read the output of a job, page by page (process.logs)',
  },
  'jobs.kill': {
    method: 'POST',
    path: '/v1/jobs/:process_id/kill',
    need: 'agent',
    repeats: 'again',
    summary: 'Stop a job, or send it a signal (process.kill)',
  },
} as const
