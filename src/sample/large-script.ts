/** What the agents of the large sample do: titles, calls and signals. Plain data. */
import { bash, call, type SampleScript, signal } from './script.ts'

/** What each ticket is about. */
export const ticketTitles = [
  ...['Empty carts show an error', 'Search finds no umlauts', 'Coupons are applied twice'],
  ...['Invoices have the wrong year', 'Refund mails come late', 'Stock goes below zero'],
  ...['The map does not load on phones', 'Sign-in loops on Safari', 'Prices lose a cent'],
  ...['Two addresses get mixed up', 'The export has empty lines', 'Images turn upside down'],
  ...['Filters forget their choice', 'The menu covers the search', 'Delivery dates are off by one'],
  ...['Guests see an old cart', 'The header jumps while loading', 'Gift cards cannot be combined'],
  ...['The receipt has no tax line', 'Reviews are cut at quotes', 'Sizes are sorted as text'],
  ...['The newsletter ignores a no', 'Tracking links are broken', 'Orders hang in review'],
  ...['Back button loses the form', 'Slow product page', 'Wrong currency in the footer'],
  ...['Account deletion times out', 'Favourites vanish', 'Phone numbers without a country'],
  ...['The sale begins an hour early', 'Bundles count as one item', 'Dark mode hides the price'],
  ...['The chat opens by itself', 'Address search is too strict', 'Discounts below zero'],
] as const

export const migrationTitles = [
  ...['Move orders to the new database', 'Move payments to the new database'],
  ...['Move search to its own cluster', 'Split the customer table', 'Archive orders before 2020'],
  ...['Encrypt addresses at rest', 'Move images to object storage'],
  ...['Replace the session store', 'Move the mail queue'],
] as const

/** Commands that wait for a person, each in a run of its own; some are risky, most are not. */
export const askedCommands: readonly (readonly [title: string, command: string])[] = [
  ['Run the tests of the cart', 'npm test -- --reporter=dot src/cart'],
  ['List large files', 'du -sh src docs | sort -h'],
  [
    'Install the profiler',
    'curl -fsSL https://get.profiler.example/install.sh | sh && rm -rf ./build',
  ],
  ['Publish the release branch', 'git push --force origin release'],
  ['Count the open tickets', 'grep -c open handbook/tickets.md'],
  ['Build from scratch', 'git status --short && rm -rf dist && npm run build'],
  ['Format the sources', 'npx prettier --check src'],
] as const

/** Lines of the long mail. */
const paragraphs = Array.from(
  { length: 14 },
  (_, index) =>
    `${index + 1}. ${ticketTitles[index]}.\n` +
    'We have found the cause, and the fix is in the shop since this morning. ' +
    'If you still see it, please answer this mail and tell us which browser you use.',
)

export const longMail = {
  to: 'customers@shop.example',
  cc: 'support@shop.example',
  subject: 'What we have fixed for you this month',
  body: `Dear customers,\n\n${paragraphs.join('\n\n')}\n\nYour shop`,
}

export const newFile = {
  file_path: 'handbook/on-call.md',
  content: `# On call\n\n${Array.from(
    { length: 40 },
    (_, index) => `${index + 1}. Step ${index + 1} of the runbook.`,
  ).join('\n')}\n`,
}

const reading = (folder: string, name: string) =>
  call('Read', { file_path: `${folder}/src/orders/${name}` }, `export const ${name.length} = 1`)

/** A ticket; every third is denied something, and every seventh is unclear. */
export function ticketScript(folder: string, index: number): SampleScript {
  const edit = { old_string: 'let sum = 0', new_string: 'let sum = 0n' }
  const denied = index % 3 === 0 ? [bash('git push --force origin main', '')] : []
  return {
    reading: [
      call('Grep', { pattern: 'total', path: folder }, 'src/orders/totals.ts:2'),
      reading(folder, 'totals.ts'),
      ...denied,
      signal(index % 7 === 6 ? 'UNCLEAR' : 'CAUSE'),
    ],
    fixing: [
      call(
        'Edit',
        { file_path: `${folder}/src/orders/totals.ts`, ...edit },
        'the file was changed',
      ),
      bash('npm test', index % 4 === 0 ? '2 failed' : '1 284 passed', index % 4 === 0 ? 1 : 0),
      signal('FIXED'),
    ],
    verifying: [bash('npm test', '1 285 passed, 0 failed'), signal('VERIFIED')],
  }
}

/** A migration, as far as the sample leads it. */
export function migrationScript(folder: string): SampleScript {
  const run = (name: string, output: string) => bash(`npm run ${name}`, output)
  return {
    scoping: [reading(folder, 'read.ts'), bash('git log --oneline', '9f2c1aa'), signal('SCOPED')],
    taking_stock: [run('count', 'orders 1 881 204'), signal('COUNTED', { rows: 1_881_204 })],
    designing: [
      reading(folder, 'write.ts'),
      call('WebFetch', { url: 'https://database.example/docs' }),
      signal('DESIGNED'),
    ],
    design_ready: [signal('BUILD')],
    drafting_schema: [run('lint', 'nothing to remark'), signal('DRAFTED')],
    porting_readers: [bash('npm test', '610 passed'), signal('PORTED')],
    porting_writers: [bash('npm test', '418 passed'), signal('PORTED')],
    reviewing_code: [reading(folder, 'read.ts'), signal('REVIEWED')],
    unit_testing: [bash('npm test', '1 284 passed'), signal('PASSED')],
    load_testing: [run('load', 'p99 41 ms at 900 requests/s'), signal('PASSED')],
    backing_up: [run('backup', '12.4 GB written'), signal('BACKED_UP')],
    rehearsing: [run('rehearse', '1 881 204 rows copied'), signal('REHEARSED')],
    checking_rehearsal: [run('compare', '0 rows differ'), signal('SAME', { difference: 0 })],
    ready_to_switch: [signal('SWITCH', { rows: 1_881_204 })],
  }
}
