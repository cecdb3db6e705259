import { expect, onTestFinished, test } from 'vitest'
import { openLocalWeb } from './local-web.ts'

test('a page counts as asked for once somebody has fetched it', async () => {
  const web = await openLocalWeb()
  onTestFinished(() => web.close())
  expect(web.wasAsked('/canary')).toBe(false)
  expect(await (await fetch(`${web.url}/canary?again`)).text()).toBe('a page\n')
  expect([web.wasAsked('/canary'), web.wasAsked('/other')]).toEqual([true, false])
})
