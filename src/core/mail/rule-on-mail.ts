/** Whether a mail keeps to the mail rules of the definition: senders, recipients, and how many. */
import type { MailRule } from '../machine/machine.ts'
import { type Address, bareText, isListed } from './address.ts'
import type { Mail } from './read-mail.ts'

/** Why a mail must not be sent; null: nothing stands in the way. */
export function ruleOnMail(rule: MailRule, mail: Mail): string | null {
  const stranger = (list: readonly string[] | null, addresses: readonly Address[]) =>
    list === null
      ? undefined
      : addresses.find((address) => !list.some((entry) => isListed(entry, address)))
  const sender = stranger(rule.from, [mail.from])
  if (sender !== undefined) return outside(sender, 'from', 'allowed_from')
  for (const field of ['to', 'cc', 'bcc'] as const) {
    const receiver = stranger(rule.to, mail[field])
    if (receiver !== undefined) return outside(receiver, field, 'allowed_to')
  }
  // Answers may come back to whom the mail may go, or to who may send it.
  const senders = rule.from ?? [bareText(mail.from)]
  const both = rule.to === null ? rule.from : [...rule.to, ...senders]
  const answered = stranger(both, mail.replyTo)
  return answered === undefined ? null : outside(answered, 'reply_to', 'allowed_to')
}

function outside(address: Address, field: string, list: string): string {
  return `\`${bareText(address)}\` in \`${field}\` is not in \`${list}\` of email_config`
}

/** How many mails a run may send: the least that any of its definitions says; null: any number. */
export function mailsMaxOf(rules: readonly MailRule[]): number | null {
  const limits = rules.flatMap(({ mailsMax }) => (mailsMax === null ? [] : [mailsMax]))
  return limits.length === 0 ? null : Math.min(...limits)
}
