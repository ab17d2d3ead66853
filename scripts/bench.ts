// npm run bench -- NAME [options]: runs one of the benchmarks in scripts/bench.
import { runSubcommand } from './command-line.ts'

const HELP = `Usage: npm run bench -- NAME [options]

Runs a benchmark. docs/performance.md explains the numbers.

  gateway     CPU and time of gateway calls, compared with minimal Workers
  guard       time of text scans
  lists       time of lists and figures of a year's calls
  neighbours  waits of other calls beside one caller's costly calls
  readings    requests, cost and time of live readings
  referral    CPU and time of referral calls
  start       CPU of a start, and the size of the bundle
  turns       database rows and requests of calls, and the cost of a chat's life

Examples:
  npm run bench -- guard
  npm run bench -- gateway --help

Exit codes: 0 done, 1 a target was missed, 2 wrong command line.`

process.exitCode = await runSubcommand(process.argv.slice(2), HELP, {
  gateway: async (args) => (await import('./bench/gateway.ts')).benchGateway(args),
  guard: async (args) => (await import('./bench/guard.ts')).benchGuard(args),
  lists: async (args) => (await import('./bench/lists.ts')).benchLists(args),
  neighbours: async (args) => (await import('./bench/neighbours.ts')).benchNeighbours(args),
  readings: async (args) => (await import('./bench/readings.ts')).benchReadings(args),
  referral: async (args) => (await import('./bench/referral.ts')).benchReferral(args),
  start: async (args) => (await import('./bench/start.ts')).benchStart(args),
  turns: async (args) => (await import('./bench/turns.ts')).benchTurns(args),
})
