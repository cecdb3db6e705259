/** Operations on the passkeys of people, and on what they sign. Plain data. */

export const passkeyOperations = {
  'passkeys.list': {
    method: 'GET',
    path: '/v1/passkeys',
    need: 'person',
    repeats: 'same',
    summary: 'List the passkeys of people, and the changes that wait for a signature',
  },
  'passkeys.begin': {
    method: 'POST',
    path: '/v1/passkeys',
    need: 'person',
    repeats: 'again',
    summary: 'Begin to add a passkey of your own: get the options for the browser',
  },
  'passkeys.add': {
    method: 'POST',
    path: '/v1/passkeys/:id/key',
    need: 'person',
    repeats: 'again',
    summary: 'Send the new passkey. The first one counts at once; others wait for a signature',
  },
  'passkeys.remove': {
    method: 'POST',
    path: '/v1/passkeys/removals',
    need: 'person',
    repeats: 'again',
    summary: 'Propose to remove a passkey of your own; it counts until that is signed',
  },
  'passkeys.askConfirmation': {
    method: 'POST',
    path: '/v1/passkeys/:id/challenge',
    need: 'person',
    repeats: 'again',
    summary: 'Get what must be signed to confirm a new passkey or a removal',
  },
  'passkeys.confirm': {
    method: 'POST',
    path: '/v1/passkeys/:id/confirm',
    need: 'person',
    repeats: 'again',
    summary: 'Confirm a new passkey or a removal with a signature',
  },
  'passkeys.askDecision': {
    method: 'POST',
    path: '/v1/passkeys/decisions',
    need: 'person',
    repeats: 'again',
    summary: 'Get what must be signed to decide an approval; good for one decision',
  },
} as const

export type PasskeyOperation = keyof typeof passkeyOperations
