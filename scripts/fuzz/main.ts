/**
 * `npm run fuzz -- requests|definitions [options]`: long fuzz runs by hand.
 */
const [name, ...rest] = process.argv.slice(2)
process.argv.splice(2, Number.POSITIVE_INFINITY, ...rest)
if (name === 'requests') await import('./requests.ts')
else if (name === 'definitions') await import('../fuzz.ts')
else {
  console.error('name what to fuzz: `requests` or `definitions`')
  process.exitCode = 2
}
