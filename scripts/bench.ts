// Runs one of the benches of scripts/bench: `npm run bench -- NAME [options]`. A bench starts when it is imported, and reads its
// options as if it ran by itself.
import { argv } from 'node:process'

const BENCHES: Record<string, () => Promise<unknown>> = {
  gateway: () => import('./bench/gateway.ts'),
  guard: () => import('./bench/guard.ts'),
  ledger: () => import('./bench/ledger.ts'),
  referral: () => import('./bench/referral.ts'),
}

const HELP = `npm run bench -- NAME [options]

Benches: ${Object.keys(BENCHES).join(', ')}. Each explains itself: npm run bench -- NAME --help`

const [runtime = '', script = '', name = ''] = argv
const bench = BENCHES[name]
if (bench !== undefined) {
  process.argv = [runtime, script, ...argv.slice(3)]
  await bench()
} else if (['', '--help', '-h'].includes(name)) console.log(HELP)
else {
  console.error(`There is no bench named ${name}.\n\n${HELP}`)
  process.exitCode = 2
}
