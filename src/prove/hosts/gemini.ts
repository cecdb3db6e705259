/**
 * Gemini CLI without a person: `gemini -p` in yolo mode, so that only hooks can stop a call.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Driver, Place } from './host.ts'

export const gemini: Driver = {
  name: 'gemini',
  env: () => ({
    GEMINI_API_KEY: 'sk-test',
    // Without it the program ends with code 55 in a folder that nobody has trusted.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
  }),
  prepare,
  start: ({ home, modelUrl, prompt, mcp }) => {
    const settings = JSON.parse(readFileSync(settingsFile(home), 'utf8'))
    writeFileSync(settingsFile(home), JSON.stringify({ ...settings, mcpServers: mcp }))
    return {
      env: { GOOGLE_GEMINI_BASE_URL: modelUrl },
      args: [
        ...['-m', 'gemini-2.5-flash', '--output-format', 'stream-json'],
        ...['--approval-mode', 'yolo', '-p', prompt],
      ],
    }
  },
}

function settingsFile(home: string): string {
  return join(home, '.gemini', 'settings.json')
}

function prepare({ home }: Place): void {
  const file = settingsFile(home)
  if (existsSync(file)) return
  mkdirSync(dirname(file), { recursive: true })
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
  }
  writeFileSync(file, JSON.stringify(settings))
}
