/**
 * The workspace of the large sample: a git repository with one commit, and a change of several
 * hundred lines on top of it that an agent could have made.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const who = ['-c', 'user.name=Sample', '-c', 'user.email=sample@example.org']

/** Puts the files there and commits them; without git there is no commit. */
export function writeLargeWorkspace(folder: string): void {
  if (existsSync(join(folder, 'package.json'))) return
  for (const [path, text] of Object.entries(filesBefore())) writeFile(folder, path, text)
  const git = (...args: readonly string[]) =>
    execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'ignore', timeout: 20_000 })
  try {
    git('init', '--quiet', '--initial-branch=main')
    git('add', '--all')
    git('commit', '--quiet', '--message', 'The shop as it is')
  } catch {
    // No git on this machine: the page shows the edits that Pawl has recorded.
  }
}

/** Changes the files the way the agent of the migration would have. */
export function changeLargeWorkspace(folder: string): void {
  for (const [path, text] of Object.entries(filesAfter())) writeFile(folder, path, text)
  rmSync(join(folder, 'src/orders/legacy.ts'), { force: true })
}

function writeFile(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const columns = [
  ...['id', 'customer', 'total', 'currency', 'status', 'paid_at', 'shipped_at', 'note'],
  ...['coupon', 'channel', 'country', 'tax', 'refunded', 'created_at', 'updated_at'],
  ...Array.from({ length: 18 }, (_, index) => `detail_${index + 1}`),
]

function filesBefore(): Readonly<Record<string, string>> {
  return {
    'package.json': '{ "name": "shop", "version": "4.2.0", "private": true }\n',
    'README.md': '# The shop\n\nOrders, payments and search.\n',
    'src/orders/legacy.ts': columns
      .map((name) => `export const old_${name} = '${name}'\n`)
      .join(''),
    'src/orders/read.ts': readerOf('orders'),
    'src/orders/write.ts': writerOf('orders'),
    'src/orders/totals.ts':
      'export function total(rows: readonly { total: number }[]): number {\n' +
      '  let sum = 0\n  for (const row of rows) sum += row.total\n  return sum\n}\n',
    'handbook/orders.md': '# Orders\n\nThey are in the table `orders`.\n',
  }
}

function filesAfter(): Readonly<Record<string, string>> {
  return {
    'src/orders/read.ts': readerOf('orders_v2'),
    'src/orders/write.ts': writerOf('orders_v2'),
    'handbook/orders.md': '# Orders\n\nThey are in the table `orders_v2`.\n',
    'migrations/0042-orders.sql': `${[
      'CREATE TABLE orders_v2 (',
      columns.map((name) => `  ${name} TEXT NOT NULL`).join(',\n'),
      ');',
      ...columns.map((name) => `CREATE INDEX orders_v2_${name} ON orders_v2 (${name});`),
      'INSERT INTO orders_v2 SELECT * FROM orders;',
      '-- The old table stays until the new one was watched for a week.',
    ].join('\n')}\n`,
    'scripts/switch.sh':
      '#!/bin/sh\nset -eu\npsql "$ORDERS_URL" -c "DROP TABLE orders"\n' +
      'psql "$ORDERS_URL" -c "ALTER TABLE orders_v2 RENAME TO orders"\n',
  }
}

function readerOf(table: string): string {
  const functions = columns.map(
    (name) =>
      `export async function ${name}Of(id: string): Promise<string> {\n` +
      `  const rows = await query('SELECT ${name} FROM ${table} WHERE id = $1', [id])\n` +
      `  return String(rows[0]?.${name} ?? '')\n}\n`,
  )
  return `import { query } from '../database.ts'\n\n${functions.join('\n')}`
}

function writerOf(table: string): string {
  const functions = columns.map(
    (name) =>
      `export async function set_${name}(id: string, value: string): Promise<void> {\n` +
      `  await query('UPDATE ${table} SET ${name} = $2 WHERE id = $1', [id, value])\n` +
      `  await query('INSERT INTO ${table}_log VALUES ($1, $2)', [id, '${name}'])\n}\n`,
  )
  return `import { query } from '../database.ts'\n\n${functions.join('\n')}`
}
