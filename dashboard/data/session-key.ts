/** The key of a sign-in. Only this origin, port included, can read it. */
const keyName = 'pawl.key'

/** The key; null: nobody has signed in. */
export function keyOf(): string | null {
  return localStorage.getItem(keyName)
}

/** Keeps a key. */
export function keepKey(key: string): void {
  localStorage.setItem(keyName, key)
}

/** Forgets a key that no longer opens anything. */
export function forgetKey(): void {
  localStorage.removeItem(keyName)
}
