/** Wires notifications together: settings, channels, links, and what the runtime has to deliver. */

import type { LogLine } from '../daemon/log-file.ts'
import { readProjectRoutes } from '../home/config-notify.ts'
import { requireSecret } from '../home/secret-file.ts'
import { notifySecretFiles } from '../home/settings-problems.ts'
import { openApprovalLinks } from '../notify/approval-links.ts'
import { notificationsFor } from '../notify/notifications-for.ts'
import { openNotifier } from '../notify/open-notifier.ts'
import type { NotificationKind, NotifySettings } from '../notify/settings.ts'
import type { Clock } from '../runtime/clock.ts'
import type { DecideLinks } from '../runtime/people/decide-link.ts'
import type { DocumentStore, OutboxItem } from '../runtime/ports.ts'
import type { OutboxSource } from '../runtime/runs/build-change.ts'
import type { Runtime } from '../runtime/runtime.ts'

export type Notify = {
  readonly outboxFor: OutboxSource
  readonly deliver: (item: OutboxItem) => Promise<number | undefined>
  readonly links: DecideLinks
  readonly test: ReturnType<typeof openNotifier>['test']
  readonly announce: ReturnType<typeof openNotifier>['announce']
  /** Removes what is long over. */
  readonly sweep: () => Promise<void>
  /** Says where links lead, once the door is open. */
  readonly serveAt: (url: string) => void
}

type Wiring = {
  readonly settings: NotifySettings
  /** Where people reach the daemon from elsewhere; null: only on this machine. */
  readonly publicUrl: string | null
  readonly documents: DocumentStore
  readonly clock: Clock
  /** Asked for when it is needed: the runtime is opened with what this gives. */
  readonly runtime: () => Runtime
  readonly log: LogLine
}

export function openNotify(wiring: Wiring): Notify {
  const { settings, publicUrl, documents, clock, log } = wiring
  for (const path of notifySecretFiles(settings)) requireSecret(path)
  let baseUrl: string | null = null
  const runtime: Pick<Runtime, 'readQuestion' | 'readHead' | 'resolve' | 'passkeys'> = {
    get passkeys() {
      return wiring.runtime().passkeys
    },
    readQuestion: (id) => wiring.runtime().readQuestion(id),
    readHead: (runId) => wiring.runtime().readHead(runId),
    resolve: (id, decision, by) => wiring.runtime().resolve(id, decision, by),
  }
  const remark = (what: string, fields: Readonly<Record<string, string>>): void =>
    log('warning', what, fields)
  const links = openApprovalLinks({ documents, clock, runtime })
  const notifier = openNotifier({
    settings,
    documents,
    clock,
    runtime,
    links,
    machine: { platform: process.platform, env: process.env },
    baseUrl: () => baseUrl,
    projectRoutes: (workspace) => readProjectRoutes(workspace, remark),
    log: remark,
  })
  return {
    outboxFor: notificationsFor(wantedOf(settings)),
    deliver: notifier.deliver,
    links,
    test: notifier.test,
    announce: notifier.announce,
    sweep: async () => {
      await links.sweep()
      await notifier.sweep()
    },
    serveAt: (url) => {
      baseUrl = publicUrl ?? url
    },
  }
}

/** Kinds that anybody may be told of: a project may want more than is set for all. */
function wantedOf({ channels }: NotifySettings): ReadonlySet<NotificationKind> {
  return new Set<NotificationKind>(channels.length === 0 ? [] : ['budget', 'run', 'job'])
}
