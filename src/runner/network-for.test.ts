import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { contract } from '../doors/api/contract.ts'
import { jobsConfigOf } from '../home/config-jobs.ts'
import { faultOf, openJobsBench, resultIn } from '../jobs/jobs.contract.ts'
import { networkFor } from './network-for.ts'

const command = 'true'
const listed = jobsConfigOf({ network: [{ host: 'A.example.org' }, { host: '*.b.org' }] })

test('jobs may connect to what is configured, on port 443 where none is named', () => {
  expect(networkFor(listed, { command }, 'agent')).toEqual([
    { host: 'a.example.org', ports: [443] },
    { host: '*.b.org', ports: [443] },
  ])
  expect(networkFor(listed, { command, network: 'none' }, 'agent')).toBe('none')
  expect(networkFor(jobsConfigOf({ network: [] }), { command }, 'agent')).toBe('none')
})

test('a call can have less than is configured, and only a person more', () => {
  const narrowed = networkFor(listed, { command, network_hosts: ['x.b.org'] }, 'agent')
  expect(narrowed).toEqual([{ host: 'x.b.org', ports: [443] }])
  expect(networkFor(listed, { command, network_hosts: [] }, 'agent')).toBe('none')
  for (const config of [listed, jobsConfigOf({})]) {
    const wider = { command, network_hosts: ['evil.net'] }
    expect(() => networkFor(config, wider, 'person')).toThrow(/may not connect to `evil.net`/)
    const all = { command, network: 'all' } as const
    expect(() => networkFor(config, all, 'agent')).toThrow(/everything/)
    expect(networkFor(config, all, 'person')).toBe('all')
  }
  const many = { command, network_hosts: Array.from({ length: 201 }, () => 'x.b.org') }
  expect(() => networkFor(listed, many, 'agent')).toThrow(/more than 200/)
})

test('an agent connects to what a person has listed; what it tried beside is told', async () => {
  const server = createServer((_request, response) => response.end('reached'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const network = [{ host: '127.0.0.1', ports: [port, 9] }]
  const { jobs, asAgentOf } = openJobsBench({ config: { network } })
  const me = asAgentOf(null)
  const ask = `curl -s http://127.0.0.1:${port}; curl -s -o /dev/null http://127.0.0.1:9`
  const wish = { command: ask, network_hosts: [`127.0.0.1:${port}`] }
  const answer = await jobs.run(wish, me, 30_000)
  expect(resultIn(answer)).toMatchObject({ stdout_summary: 'reached', network_refused: 1 })
  expect(resultIn(answer).warnings).toEqual([expect.stringContaining('127.0.0.1:9')])
  expect(contract['jobs.run'].answer.parse(answer)).toEqual(answer)
  const wider = await faultOf(jobs.run({ ...wish, network_hosts: ['127.0.0.1:8'] }, me, 30_000))
  expect(wider?.error_type).toBe('PolicyDenied')
})
