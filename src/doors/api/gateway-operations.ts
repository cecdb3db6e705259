/** Operations that the gateway in front of MCP servers uses. */
export const gatewayOperations = {
  'gateway.check': {
    method: 'POST',
    path: '/v1/gateway/calls',
    need: 'agent',
    repeats: 'once',
    summary: 'Judge a call to a server behind the gateway; an approved call is allowed once',
  },
  'gateway.mark': {
    method: 'POST',
    path: '/v1/gateway/marks',
    need: 'agent',
    repeats: 'same',
    summary: 'Check whether a hook of this daemon wrote the mark in a call',
  },
  'gateway.report': {
    method: 'POST',
    path: '/v1/gateway/reports',
    need: 'agent',
    repeats: 'once',
    summary: 'Report the result of a call through the gateway',
  },
  'gateway.renew': {
    method: 'POST',
    path: '/v1/gateway/leases',
    need: 'agent',
    repeats: 'same',
    summary: 'Report that an approved call is still in progress',
  },
  'gateway.offer': {
    method: 'POST',
    path: '/v1/gateway/offers',
    need: 'agent',
    repeats: 'same',
    summary: 'List which tools of servers may be shown now',
  },
  'gateway.see': {
    method: 'POST',
    path: '/v1/gateway/pins',
    need: 'agent',
    repeats: 'once',
    summary: 'Send the current state of a server; returns what of it a person has accepted',
  },
  'gateway.pins': {
    method: 'GET',
    path: '/v1/gateway/pins',
    need: 'agent',
    repeats: 'same',
    summary: 'List servers and tools, and whether a person has accepted them',
  },
  'gateway.accept': {
    method: 'POST',
    path: '/v1/gateway/pins/accept',
    need: 'person',
    repeats: 'once',
    summary: 'Accept a server or a tool as it is now',
  },
} as const
