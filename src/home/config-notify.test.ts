/** Settings about telling people: what they mean, and what a project may say about them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { NotifySettings } from '../notify/settings.ts'
import { readConfig } from './config.ts'
import { readProjectRoutes } from './config-notify.ts'

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-notify-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function settings(config: object, folder = scratch()): NotifySettings {
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
  return readConfig(join(folder, 'config.json')).notify
}

const hook = { type: 'webhook', url: 'https://example.org/a' }
const mail = { type: 'mail', host: 'mail.example.org', port: 465, secure: 'tls' }
const inbox = { ...mail, from: 'Pawl <pawl@example.org>', to: ['ada@example.org'] }

test('what asks somebody goes to every channel, and news only where it is wanted', () => {
  const notify = { channels: { hook, inbox }, when: { run: ['hook'], ask: ['inbox'] } }
  const all = ['hook', 'inbox']
  expect(settings({ notify }).when).toEqual({
    ...{ gate: all, notify_human: all, budget: all, guard: all },
    ...{ ask: ['inbox'], run: ['hook'], job: [] },
  })
})

test('the old webhook hears of every question, whatever the channels are', () => {
  const { channels, when } = settings({
    webhook: { url: 'https://example.org/old' },
    notify: { channels: { hook }, when: { gate: ['hook'] } },
  })
  const old = channels.at(-1)
  expect(old).toMatchObject({ url: 'https://example.org/old', shows: 'question' })
  expect(when.gate).toEqual(['hook', old?.name])
  expect(when.ask).toEqual(['hook', old?.name])
  expect(when.budget).toEqual(['hook'])
})

test('a secret is a file of the data directory, and a channel may belong to somebody', () => {
  const folder = scratch()
  const channels = { hook: { ...hook, secretFile: 'hook.secret', person: 'ada' } }
  const [channel] = settings({ notify: { channels } }, folder).channels
  expect(channel).toMatchObject({ secretFile: join(folder, 'hook.secret'), person: 'ada' })
})

test('quiet hours, reminders and escalation are read as moments', () => {
  const quiet = { from: '22:30', to: '07:00', timeZone: 'Europe/Berlin', urgent: ['gate'] }
  const escalate = { afterMinutes: 60, to: ['hook'] }
  const read = settings({ notify: { channels: { hook }, quiet, remindMinutes: 15, escalate } })
  expect(read).toMatchObject({
    quiet: { from: 1_350, to: 420, timeZone: 'Europe/Berlin', urgent: ['gate'] },
    remindMs: 900_000,
    escalate: { afterMs: 3_600_000, to: ['hook'] },
  })
})

test('what can not be is refused before anybody is told', () => {
  const wrong: readonly object[] = [
    { channels: { hook: { ...hook, typo: 1 } } },
    { channels: { hook: { ...hook, type: 'pigeon' } } },
    { channels: { hook: { url: 'https://example.org' } } },
    { channels: { hook }, when: { gate: ['hok'] } },
    { channels: { hook }, when: { gates: ['hook'] } },
    { channels: { hook }, escalate: { afterMinutes: 1, to: ['nobody'] } },
    { channels: { hook }, quiet: { from: '24:00', to: '07:00' } },
    { channels: { hook }, quiet: { from: '22:00', to: '07:00', timeZone: 'Mars/Base' } },
    { channels: { inbox: { ...inbox, to: ['ada@example.org>, <eve@example.org'] } } },
    { channels: { inbox: { ...inbox, to: ['not an address'] } } },
    { channels: { inbox: { ...inbox, secure: true } } },
  ]
  for (const notify of wrong) {
    expect(() => settings({ notify }), JSON.stringify(notify)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  }
  for (const publicUrl of ['pawl.example.org', 'https://a.b/path', 'https://u@a.b', 'ftp://a']) {
    expect(() => settings({ publicUrl }), publicUrl).toThrow()
  }
})

function project(text: string): [ReturnType<typeof readProjectRoutes>, readonly string[]] {
  const workspace = scratch()
  mkdirSync(join(workspace, '.pawl'))
  writeFileSync(join(workspace, '.pawl', 'notify.json'), text)
  const remarks: string[] = []
  return [readProjectRoutes(workspace, (_, { fault }) => remarks.push(fault ?? '')), remarks]
}

test('a project chooses by name, and can set nothing else', () => {
  expect(readProjectRoutes(scratch(), () => undefined)).toBeNull()
  expect(project('{"when": {"gate": ["hook"]}}')).toEqual([{ gate: ['hook'] }, []])
  const refused = [
    JSON.stringify({ channels: { evil: { type: 'webhook', url: 'https://evil.test' } } }),
    '{"when": {"gate": "hook"}}',
    '{"when": {"everything": ["hook"]}}',
    '[]',
    'nonsense',
    `{"when": {}}${' '.repeat(70_000)}`,
  ]
  for (const text of refused) {
    const [routes, remarks] = project(text)
    expect([routes, remarks.length], text.slice(0, 80)).toEqual([null, 1])
  }
})
