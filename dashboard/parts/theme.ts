/** Light or dark: follows the system until the user chooses. */
import { openValueStore } from '../data/value-store.ts'

export type Theme = 'light' | 'dark'

const themeName = 'pawl.theme'
const system = matchMedia('(prefers-color-scheme: dark)')

export const theme = openValueStore<Theme>(themeOf())

function themeOf(): Theme {
  const kept = localStorage.getItem(themeName)
  if (kept === 'light' || kept === 'dark') return kept
  return system.matches ? 'dark' : 'light'
}

function apply(): void {
  const now = themeOf()
  document.documentElement.dataset.theme = now
  theme.set(() => now)
}

/** Follows the system from now on. */
export function beginTheme(): void {
  apply()
  system.addEventListener('change', apply)
}

/** The other one, and it stays. */
export function turnTheme(): void {
  localStorage.setItem(themeName, themeOf() === 'dark' ? 'light' : 'dark')
  apply()
}
