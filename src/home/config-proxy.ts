/**
 * The `proxy` section of `config.json`: how mail is delivered, and which hosts get a credential.
 * Secrets are in files of the data directory, never here.
 */
import { z } from 'zod'

/** A file beside `config.json`: no agent may read what is in that folder. */
const secretFile = z
  .string()
  .regex(/^[\w][\w.-]{0,100}$/)
  .describe('Name of a file in the data directory that contains only the secret.')
const name = z.string().regex(/^[a-z][a-z0-9-]{0,40}$/)

/** TLS, or a server on this machine. */
const safeUrl = z
  .string()
  .regex(
    /^(?:https:\/\/[\w.-]+(?::\d+)?|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d+)?)(?:\/[\w./-]*)?$/,
  )

const smtp = z.strictObject({
  host: z
    .string()
    .regex(/^[\w.:-]{1,253}$/)
    .describe('Host name of the mail server.'),
  port: z.int().min(1).max(65_535).describe('Port of the mail server.'),
  secure: z
    .enum(['tls', 'starttls', 'none'])
    .describe('`none` is for a server on this machine, or one without a password.'),
  user: z.string().min(1).max(200).optional().describe('User name to log in with.'),
  passwordFile: secretFile.optional(),
})

const mail = z
  .strictObject({
    url: safeUrl.optional().describe("URL of a Resend-compatible API. Default: Resend's own."),
    keyFile: secretFile.optional().describe('File that contains the API key.'),
    smtp: smtp.optional().describe('A mail server to use instead of an API.'),
  })
  .describe('Mail that agents send through Pawl.')

const host = z.strictObject({
  name: name.describe('Name of the host. Agents send requests to `/to/NAME/…`.'),
  url: safeUrl.describe('The only base URL that requests are sent to.'),
  header: z
    .string()
    .regex(/^[a-z0-9-]{1,60}$/i)
    .optional()
    .describe('Header that carries the secret. Default: `authorization`.'),
  format: z
    .string()
    .regex(/^[\x20-\x7e]*\{secret\}[\x20-\x7e]*$/)
    .optional()
    .describe("The header's value. Default: `Bearer {secret}`."),
  secretFile,
  paths: z
    .array(z.string().regex(/^\/[^\s?#]*$/))
    .min(1)
    .max(100)
    .describe('Allowed paths. A `*` at the end matches anything.'),
  methods: z
    .array(z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']))
    .min(1)
    .optional()
    .describe('Allowed methods. Default: `GET` and `HEAD`.'),
})

export const proxySchema = z
  .strictObject({
    port: z.int().min(0).max(65_535).optional().describe('Loopback port; 0 for any free port.'),
    mail: mail.optional(),
    hosts: z
      .array(host)
      .max(100)
      .optional()
      .describe('Other hosts that agents may send requests to.'),
  })
  .describe("Agents' outbound requests through Pawl, which keeps the keys.")

export type ProxyConfig = z.infer<typeof proxySchema>
