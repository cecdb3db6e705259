/**
 * What a person may set of the outbound proxy: who sends mail in the end, and which hosts get a
 * credential put in. Secrets stand in files of the data directory, never here.
 */
import { z } from 'zod'

/** A file beside `config.json`: no agent may read what is in that folder. */
const secretFile = z
  .string()
  .regex(/^[\w][\w.-]{0,100}$/)
  .describe('Name of a file in the data directory that holds the secret and nothing else.')
const name = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/)

/** TLS, or a server on this machine. */
const safeUrl = z
  .string()
  .regex(
    /^(?:https:\/\/[\w.-]+(?::\d+)?|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?)(?:\/[\w./-]*)?$/,
  )

const smtp = z.strictObject({
  host: z.string().regex(/^[\w.:-]{1,253}$/),
  port: z.int().min(1).max(65_535),
  secure: z
    .enum(['tls', 'starttls', 'none'])
    .describe('`none` is for a server on this machine, or one without a password.'),
  user: z.string().min(1).max(200).optional(),
  passwordFile: secretFile.optional(),
})

const mail = z
  .strictObject({
    url: safeUrl.optional().describe("Address of an API like Resend's; its own when absent."),
    keyFile: secretFile.optional().describe('Holds the key of that API.'),
    smtp: smtp.optional().describe('A mail server, in the place of an API.'),
  })
  .describe('Mail that agents send through Pawl.')

const host = z.strictObject({
  name: name.describe('Its path is `/to/NAME/…`.'),
  url: safeUrl.describe('Where requests go; nowhere else.'),
  header: z
    .string()
    .regex(/^[a-z0-9-]{1,60}$/i)
    .optional()
    .describe('`authorization` when absent.'),
  format: z
    .string()
    .regex(/^[\x20-\x7e]*\{secret\}[\x20-\x7e]*$/)
    .optional()
    .describe('How the header is written; `Bearer {secret}` when absent.'),
  secretFile,
  paths: z
    .array(z.string().regex(/^\/[^\s?#]*$/))
    .min(1)
    .max(100)
    .describe('Paths that may be asked for; `*` at the end is any rest.'),
  methods: z
    .array(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .min(1)
    .optional()
    .describe('`GET` and `HEAD` when absent.'),
})

export const proxySchema = z
  .strictObject({
    port: z.int().min(0).max(65_535).optional().describe('Port on loopback; 0: any free one.'),
    mail: mail.optional(),
    hosts: z.array(host).max(100).optional(),
  })
  .describe('What agents send out through Pawl, which holds the keys.')

export type ProxyConfig = z.infer<typeof proxySchema>
