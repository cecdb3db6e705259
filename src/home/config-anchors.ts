/** The setting `anchors`: where copies of the register's end are kept, and how often. */
import { resolve } from 'node:path'
import { z } from 'zod'

const minuteMs = 60_000
const minutesDefault = 60
const minutesMax = 24 * 60
const refDefault = 'refs/pawl/anchors'

export const anchorsSchema = z.strictObject({
  everyMinutes: z
    .int()
    .min(1)
    .max(minutesMax)
    .optional()
    .describe('How often an anchor is written if anything has changed. Default: 60.'),
  file: z
    .string()
    .min(1)
    .optional()
    .describe('A file that gets one line per anchor. Relative paths start at this folder.'),
  webhook: z
    .strictObject({
      url: z
        .string()
        .regex(/^https?:\/\/[^\s]+$/)
        .describe('URL that each anchor is posted to.'),
      secretFile: z
        .string()
        .min(1)
        .optional()
        .describe('File with the secret that signs each request (Standard Webhooks).'),
    })
    .optional(),
  git: z
    .strictObject({
      repository: z.string().min(1).describe('Folder of a git repository.'),
      ref: z
        .string()
        .regex(/^refs\/[A-Za-z0-9._/-]{1,200}$/)
        .refine((ref) => !/\.\.|\/\/|\/$|\.lock$|\/\./.test(ref))
        .optional()
        .describe('Ref that gets one empty commit per anchor. Default: `refs/pawl/anchors`.'),
    })
    .optional(),
})

/** Somewhere outside of the store. */
export type AnchorTarget =
  | { readonly type: 'file'; readonly path: string }
  | { readonly type: 'webhook'; readonly url: string; readonly secretFile: string | null }
  | { readonly type: 'git'; readonly repository: string; readonly ref: string }

export type AnchorSettings = {
  readonly everyMs: number
  readonly targets: readonly AnchorTarget[]
}

/** Paths are relative to the folder of the configuration. */
export function anchorSettingsOf(
  file: z.infer<typeof anchorsSchema> | undefined,
  folder: string,
): AnchorSettings {
  const from = (path: string): string => resolve(folder, path)
  const { everyMinutes = minutesDefault, file: path, webhook, git } = file ?? {}
  const targets: AnchorTarget[] = []
  if (path !== undefined) targets.push({ type: 'file', path: from(path) })
  if (webhook !== undefined) {
    const secretFile = webhook.secretFile === undefined ? null : from(webhook.secretFile)
    targets.push({ type: 'webhook', url: webhook.url, secretFile })
  }
  if (git !== undefined) {
    const { repository, ref = refDefault } = git
    targets.push({ type: 'git', repository: from(repository), ref })
  }
  return { everyMs: everyMinutes * minuteMs, targets }
}
