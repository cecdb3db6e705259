/** Settings of a data directory: what they default to, and what is said about wrong ones. */
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { knownPrices, withPrices } from '../core/prices.ts'
import { PawlError } from '../runtime/pawl-error.ts'
import { readConfig } from './config.ts'
import { jobsConfigOf } from './config-jobs.ts'

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'config.json')
  writeFileSync(path, text)
  return path
}

function faultOf(text: string): PawlError {
  try {
    readConfig(fileWith(text))
  } catch (fault) {
    if (fault instanceof PawlError) return fault
    throw fault
  }
  throw new Error('there was no fault')
}

test('without a file every setting has its default', () => {
  expect(readConfig('/nowhere/config.json')).toEqual({
    databaseUrl: null,
    port: 0,
    approvalMs: 24 * 3_600_000,
    retention: { days: null, megabytes: null },
    hooks: {
      askWaitMs: 30_000,
      orderWaitMs: 50_000,
      stopsMax: 3,
      otherSessions: 'refused',
      promptApprovals: false,
    },
    elicitation: false,
    proof: null,
    sharedAgentToken: false,
    prices: knownPrices,
    proxy: null,
    otlpUrl: null,
    notify: expect.objectContaining({ channels: [], quiet: null, remindMs: null, escalate: null }),
    anchors: { everyMs: 3_600_000, targets: [] },
    publicUrl: null,
    jobs: jobsConfigOf(),
  })
})

test('settings are read, with comments, and the file is closed to others', () => {
  const path = fileWith(`{
    // the database of the team
    "database": "postgres://ada:secret@localhost/pawl",
    "port": 4140, "approvalHours": 0.5,
    "retention": { "days": 30, "megabytes": 500 },
    "hooks": { "askWaitSeconds": 5, "stopsMax": 0, "otherSessions": "free" },
    "approvals": { "elicitation": true },
    "prices": { "house": { "input": 1, "output": 2 } },
    "otlp": "http://127.0.0.1:4318/v1/traces",
    "webhook": { "url": "http://127.0.0.1:9/hook" }
  }`)
  chmodSync(path, 0o644)
  expect(readConfig(path)).toEqual({
    databaseUrl: 'postgres://ada:secret@localhost/pawl',
    port: 4140,
    approvalMs: 1_800_000,
    retention: { days: 30, megabytes: 500 },
    hooks: {
      askWaitMs: 5_000,
      orderWaitMs: 50_000,
      stopsMax: 0,
      otherSessions: 'free',
      promptApprovals: false,
    },
    elicitation: true,
    proof: null,
    sharedAgentToken: false,
    prices: withPrices({ house: { input: 1, output: 2 } }),
    proxy: null,
    otlpUrl: 'http://127.0.0.1:4318/v1/traces',
    notify: expect.objectContaining({
      channels: [expect.objectContaining({ url: 'http://127.0.0.1:9/hook', shows: 'question' })],
    }),
    anchors: { everyMs: 3_600_000, targets: [] },
    publicUrl: null,
    jobs: jobsConfigOf(),
  })
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('a misspelt setting is refused with the one that was meant and its place', () => {
  const fault = faultOf('{\n  "approvalHour": 2\n}')
  expect(fault.code).toBe('CONFIG_INVALID')
  expect(fault.message).toContain('`approvalHours`')
  expect(fault.hint).toContain('line 2, column 3')
})

test('an unknown setting is refused with the known ones', () => {
  const fault = faultOf('{"colour": "red"}')
  expect(fault.code).toBe('CONFIG_INVALID')
  expect(fault.hint).toContain('retention')
})

test('wrong kinds, ranges, broken texts and other values than an object are refused', () => {
  for (const text of [
    '{"port": "4140"}',
    '{"port": 70000}',
    '{"port": 1.5}',
    '{"approvalHours": 0}',
    '{"retention": {"days": -1}}',
    '{"retention": {"hours": 1}}',
    '{"otlp": "localhost:4318"}',
    '{"webhook": {}}',
    '{"prices": {"m": {"input": -1, "output": 2}}}',
    '{"prices": {"m": {"input": 1}}}',
    '{"proxy": {"mail": {"keyFile": "../key"}}}',
    '{"proxy": {"mail": {"url": "http://mail.test", "keyFile": "k"}}}',
    '{"proxy": {"hosts": [{"name": "a", "url": "https://a.test", "secretFile": "k"}]}}',
    '{"port": 1',
    '[]',
    '""',
    '',
  ]) {
    expect(faultOf(text).code, text).toBe('CONFIG_INVALID')
    expect(faultOf(text).hint, text).toContain('config.json')
  }
})

test('a wrong address of a database is refused without repeating its password', () => {
  const fault = faultOf('{"database": "mysql://ada:hunter2@host/db"}')
  expect(fault.code).toBe('CONFIG_INVALID')
  expect(`${fault.message} ${fault.hint}`).not.toContain('hunter2')
})

test('what jobs may connect to is a word or a list of hosts', () => {
  const networkIn = (network: unknown) =>
    readConfig(fileWith(JSON.stringify({ jobs: { network } }))).jobs.network
  expect(networkIn('all')).toBe('all')
  expect(networkIn([{ host: '*.Example.org' }, { host: '10.0.0.1', ports: [80, 81] }])).toEqual([
    { host: '*.example.org', ports: [443] },
    { host: '10.0.0.1', ports: [80, 81] },
  ])
  const hosts = ['*', '*.org', 'https://a.org', 'a.org:443', ''].map((host) => ({ host }))
  const odd = [
    { host: 'a.org', ports: [] },
    { host: 'a.org', ports: [0] },
    { host: 'a.org', x: 1 },
  ]
  const lists = [...hosts, ...odd, { ports: [443] }, 'a.org'].map((entry) => [entry])
  const many = Array.from({ length: 201 }, () => ({ host: 'a.org' }))
  for (const network of [...lists, many, 'some', {}]) {
    const { code, message } = faultOf(JSON.stringify({ jobs: { network } }))
    expect(code, JSON.stringify(network)).toBe('CONFIG_INVALID')
    expect(message).not.toBe('')
  }
})
