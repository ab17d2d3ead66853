// npm run bench -- NAME [options]: runs one of the benchmarks in scripts/bench.
import { runSubcommand } from './command-line.ts'

const HELP = `npm run bench -- NAME [options]

Benches: gateway, guard, ledger, referral, start. Each explains itself: npm run bench -- NAME --help`

process.exitCode = await runSubcommand(process.argv.slice(2), HELP, {
  gateway: async (args) => (await import('./bench/gateway.ts')).benchGateway(args),
  guard: async (args) => (await import('./bench/guard.ts')).benchGuard(args),
  ledger: async (args) => (await import('./bench/ledger.ts')).benchLedger(args),
  referral: async (args) => (await import('./bench/referral.ts')).benchReferral(args),
  start: async (args) => (await import('./bench/start.ts')).benchStart(args),
})
