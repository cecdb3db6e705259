/**
 * The pages behind a one-time link: the pending approval, and its outcome. Plain HTML for phones:
 * no external resources, everything an agent wrote is escaped, and the only script is the one that
 * signs, on pages that must be signed.
 */
import { hash } from 'node:crypto'
import { visible } from '../../core/policy/format-call-input.ts'
import {
  type ApprovalQuestion,
  isSignedOnly,
  type QuestionPart,
} from '../../runtime/people/approval-question.ts'
import type { LinkReading } from '../../runtime/people/decide-link.ts'
import { signScript } from './approval-page-script.ts'
import { decideStyle } from './approval-page-style.ts'

/**
 * WHY another referrer policy than elsewhere: with none at all a browser sends the form without
 * its origin, and then nobody could tell it from the form of another site.
 */
export const decideHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', decideStyle, 'base64')}'`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; '),
} as const

/** Of a page that must be signed. */
export const signHeaders = {
  ...decideHeaders,
  'content-security-policy': [
    decideHeaders['content-security-policy'],
    `script-src 'sha256-${hash('sha256', signScript, 'base64')}'`,
    "connect-src 'self'",
  ].join('; '),
} as const

/** The page of a link; `remark` is why the last try was not taken. */
export function decidePage(reading: LinkReading, remark: string | null): string {
  switch (reading.kind) {
    case 'open':
      return openPage(reading, remark)
    case 'closed':
      return closedPage(reading)
    default:
      return frame('This link is not valid', [
        '<h1>This link is not valid</h1>',
        '<p>It is incomplete, or its approval is no longer stored.</p>',
        '<p>To list pending approvals, run <code>pawl approvals</code>.</p>',
      ])
  }
}

function openPage(
  { question, person, token }: Extract<LinkReading, { kind: 'open' }>,
  remark: string | null,
): string {
  const { message, expiresAt } = question.row
  const ends =
    expiresAt === null ? '' : ` It expires at ${moment(expiresAt)} and then counts as refused.`
  return frame('Approval needed', [
    '<p class="lead">Approval needed</p>',
    `<h1${message.length > longChars ? ' class="long"' : ''}>${text(message)}</h1>`,
    ...(remark === null ? [] : [`<p class="alert" role="alert">${text(remark)}</p>`]),
    ...shown(question),
    ...formOf(person, token, ends),
    ...(isSignedOnly(question.row) ? signing : []),
  ])
}

/** Whether the script that signs is on the page of a link. */
export function isSignPage(reading: LinkReading): boolean {
  return reading.kind === 'open' && isSignedOnly(reading.question.row)
}

const signing = [
  '<p class="alert" role="alert" id="said" hidden></p>',
  '<p class="soft">You sign with a passkey of this device. A passkey belongs to one address: if ',
  'you have none for this one, add it here, and confirm it on the machine where Pawl runs.</p>',
  '<div class="choice"><button type="button" id="add">Add passkey</button></div>',
  `<script>${signScript}</script>`,
]

function formOf(person: string, token: string, ends: string): readonly string[] {
  return [
    '<form method="post">',
    `<input type="hidden" name="token" value="${text(token)}">`,
    '<input type="hidden" name="signature"><input type="hidden" name="signed">',
    '<label for="note">Reason or note; the agent reads it</label>',
    '<textarea id="note" name="note" rows="2" maxlength="2000"></textarea>',
    `<p class="soft">You decide as <b>${text(person)}</b>, for exactly what is shown here, once. `,
    `It cannot be undone.${text(ends)}</p>`,
    '<div class="choice">',
    '<button class="no" name="decision" value="refuse">Refuse</button>',
    '<button class="yes" name="decision" value="approve">Approve</button>',
    '</div>',
    '</form>',
  ]
}

/** A question that holds a whole call is no headline. */
const longChars = 120

function closedPage({ question, own }: Extract<LinkReading, { kind: 'closed' }>): string {
  const { status, decidedBy, decidedAt, note } = question.row
  const title = own === null ? closedTitles[status] : ownTitles[own]
  const by = decidedBy === null ? '' : ` by ${decidedBy}`
  const at = decidedAt === null ? '' : `, ${moment(decidedAt)}`
  const isWaiting = own === 'approved' && status === 'pending'
  const state = isWaiting ? 'It also needs the approval of others.' : `It was ${status}${by}${at}.`
  return frame(title, [
    `<p class="lead">${text(question.row.message)}</p>`,
    `<h1 class="${own ?? status}">${title}</h1>`,
    `<p>${text(status === 'pending' && !isWaiting ? 'This link is no longer valid.' : state)}</p>`,
    ...(note === '' ? [] : [`<blockquote>${text(note)}</blockquote>`]),
    '<p class="soft">A link works once. You can close this page.</p>',
  ])
}

const ownTitles = { approved: 'You approved', refused: 'You refused' } as const

const closedTitles = {
  pending: 'This link is no longer valid',
  granted: 'Already approved',
  refused: 'Already refused',
  expired: 'Nobody decided in time',
} as const

function shown({ row, head, stage, parts }: ApprovalQuestion): readonly string[] {
  const place = head.workspace === null ? '' : ` in ${head.workspace}`
  return [
    ...parts.map(partOf),
    ...(row.note === '' ? [] : [`<blockquote>${text(row.note)}</blockquote>`]),
    `<p class="soft">${text(`${head.definition}, stage ${stage}${place}`)}<br>`,
    `run ${text(row.runId)}, asked ${text(moment(row.requestedAt))}</p>`,
  ]
}

function partOf({ label, look, text: said, source }: QuestionPart): string {
  const whose = source === null ? '' : ` <span class="tag ${source}">${source}</span>`
  const name = `<h2>${text(label)}${whose}</h2>`
  if (look === 'line') return `<section>${name}<p class="line">${text(said)}</p></section>`
  return `<section>${name}<pre class="${look}">${lines(said)}</pre></section>`
}

function moment(at: number): string {
  return `${new Date(at).toISOString().replace('T', ' ').slice(0, 16)} UTC`
}

/** A text as a text: nothing in it is a tag, and nothing that is there is unseen. */
function text(said: string): string {
  return visible(said)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

function lines(said: string): string {
  return said
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(text).join('\t'))
    .join('\n')
}

function frame(title: string, body: readonly string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${decideStyle}</style>
</head>
<body>
<main>
${body.join('\n')}
</main>
</body>
</html>
`
}
