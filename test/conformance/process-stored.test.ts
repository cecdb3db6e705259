/** Process definitions as the API stores them: identity, times, and what a change may change. */
import { expect } from 'vitest'
import { claimsOf } from './claim.ts'
import { useDoors } from './doors.ts'

const claim = claimsOf('process definitions')
const doors = useDoors()

claim(
  {
    section: 'Data Structure Reference',
    quote: '"name": "deploy-gate", // lowercase alphanumeric + hyphens',
    check: 'a stored process is read under its name',
  },
  async () => {
    const definition = {
      name: 'deploy-gate',
      initial: 'env-check',
      states: { 'env-check': { question: 'Ready?', answers: {} } },
    }
    const body = { source: JSON.stringify(definition), format: 'json' }
    const stored = await doors.rest('POST /v1/definitions', { body })
    expect(stored).toMatchObject({ status: 200 })
    const read = await doors.rest('GET /v1/definitions/deploy-gate')
    expect(read).toMatchObject({ status: 200 })
    expect((await doors.tool('stdio', 'pawl_list_workflows')).values.workflows).toMatchObject([
      { name: 'deploy-gate' },
    ])
    expect((await doors.tool('http', 'pawl_list_workflows')).values.workflows).toMatchObject([
      { name: 'deploy-gate' },
    ])
  },
)
