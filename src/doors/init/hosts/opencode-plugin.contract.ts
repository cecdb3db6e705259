/**
 * The plugin of opencode in a test, loaded as opencode does it.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { onTestFinished } from 'vitest'
import { pluginText } from './opencode-plugin.ts'

type Hook = (input?: object, output?: object) => Promise<void>
type Plugin = { readonly [name: string]: Hook }
type Loaded = { readonly plugin: Plugin; readonly asked: () => readonly PluginInput[] }
type PluginInput = { readonly [field: string]: unknown }

/** A shell text that notes what it is asked and allows it. */
export const notes = (answer = '{"allow":true}'): string =>
  `cat >> FOLDER/asked; echo >> FOLDER/asked; echo '${answer}'`

/** Sessions and their parents, as opencode tells them; all others are not found. */
export function sessionsOf(parents: Readonly<Record<string, string | null>>): object {
  const get = async ({ path: { id } }: { path: { id: string } }): Promise<object> => {
    const parentID = parents[id]
    if (parentID === undefined) return { error: { name: 'NotFoundError' } }
    return { data: parentID === null ? { id } : { id, parentID } }
  }
  return { session: { get } }
}

/** The plugin, with a shell text in place of the client of hooks; `FOLDER` in it is a folder. */
export async function loadPlugin(hookCommand: string, client: object): Promise<Loaded> {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-plugin-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'pawl.mjs')
  const setting = {
    workspace: folder,
    userFile: null,
    hookCommand: hookCommand.replaceAll('FOLDER', folder),
  }
  writeFileSync(file, pluginText(setting as never))
  const { Pawl } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  const plugin: Plugin = await Pawl({ client, directory: '/work' })
  const asked = (): readonly PluginInput[] =>
    readFileSync(join(folder, 'asked'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { plugin, asked }
}
