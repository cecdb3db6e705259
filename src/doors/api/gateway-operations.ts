/**
 * What a gateway in front of MCP servers asks of a daemon: its part of the table of operations.
 */
export const gatewayOperations = {
  'gateway.check': {
    method: 'POST',
    path: '/v1/gateway/calls',
    need: 'agent',
    repeats: 'once',
    summary: 'Judge a call of a server behind a gateway; an approved call is let through once',
  },
  'gateway.mark': {
    method: 'POST',
    path: '/v1/gateway/marks',
    need: 'agent',
    repeats: 'same',
    summary: 'Whether a hook of this daemon wrote what stands in a call about whose it is',
  },
  'gateway.report': {
    method: 'POST',
    path: '/v1/gateway/reports',
    need: 'agent',
    repeats: 'once',
    summary: 'Report how such a call has ended',
  },
  'gateway.renew': {
    method: 'POST',
    path: '/v1/gateway/leases',
    need: 'agent',
    repeats: 'same',
    summary: 'Say that an approved call is still being made',
  },
  'gateway.offer': {
    method: 'POST',
    path: '/v1/gateway/offers',
    need: 'agent',
    repeats: 'same',
    summary: 'Which tools of servers may be shown now',
  },
  'gateway.see': {
    method: 'POST',
    path: '/v1/gateway/pins',
    need: 'agent',
    repeats: 'once',
    summary: 'Tell what a server is now, and hear what of it a person has agreed to',
  },
  'gateway.pins': {
    method: 'GET',
    path: '/v1/gateway/pins',
    need: 'agent',
    repeats: 'same',
    summary: 'List servers and tools with what is agreed about them',
  },
  'gateway.accept': {
    method: 'POST',
    path: '/v1/gateway/pins/accept',
    need: 'person',
    repeats: 'once',
    summary: 'Agree to a server or a tool as it is now',
  },
} as const
