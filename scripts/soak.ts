// Runs one of the long tests of scripts/soak: `npm run soak -- NAME [options]`. A long test is a file there that does its
// work when it is imported, and reads its options as if it had been run by itself.
import { argv } from 'node:process'

const SOAKS: Record<string, () => Promise<unknown>> = {
  crashes: () => import('./soak/crashes.ts'),
  export: () => import('./soak/export.ts'),
  gateway: () => import('./soak/gateway.ts'),
  ledger: () => import('./soak/ledger.ts'),
  readers: () => import('./soak/readers.ts'),
}

const HELP = `npm run soak -- NAME [options]

Long tests: ${Object.keys(SOAKS).join(', ')}. Each explains itself: npm run soak -- NAME --help`

const [runtime = '', script = '', name = ''] = argv
const soak = SOAKS[name]
if (soak !== undefined) {
  process.argv = [runtime, script, ...argv.slice(3)]
  await soak()
} else if (['', '--help', '-h'].includes(name)) console.log(HELP)
else {
  console.error(`There is no long test named ${name}.\n\n${HELP}`)
  process.exitCode = 2
}
