// Runs the model emulator alone: `node scripts/emulator.ts --port 8788`.

import { runCommand, wholeNumber } from './command-line.ts'
import { BEHAVIOURS } from './emulator/behaviours.ts'
import { startEmulator } from './emulator/server.ts'
import { ENDPOINT_IDS, PROVIDERS } from '../src/providers/provider-registry.ts'

const inColumns = (rows: readonly (readonly [string, string, unknown])[]): string =>
  rows.map(([usage, effect]) => `  ${usage.padEnd(30)} ${effect}`).join('\n')

const USAGE = `Usage: npm run emulator -- [options]

Runs a local server that answers like these providers, without a model:
${PROVIDERS.map(({ label }) => label).join(', ')}.

  --port N       port; 0 takes a free one (default 8788)
  --host NAME    address to listen on (default 127.0.0.1)
  --delay-ms N   delay before each answer (default 0)
  --record       keeps requests for GET /_emulator/requests
  --chaos SEED   misbehaves at random; the same seed repeats the sequence
  --behaviours   lists the behaviours, and stops

A behaviour is in a base URL (/openai/_behave/slow,200), a model name (gpt-4.1-mini--slow,200), the
header x-emulator-behaviour, or POST /_emulator/behave. + joins several, and % encodes a comma.

Example:
  npm run emulator -- --record

Exit codes: 0 stopped, 1 not started, 2 wrong command line.`

process.exitCode = await runCommand(process.argv.slice(2), {
  help: USAGE,
  options: {
    port: { type: 'string', default: '8788' },
    host: { type: 'string', default: '127.0.0.1' },
    'delay-ms': { type: 'string', default: '0' },
    record: { type: 'boolean', default: false },
    chaos: { type: 'string' },
    behaviours: { type: 'boolean', default: false },
  },
  async run({ values: { port, host, 'delay-ms': delay, record, chaos, behaviours } }) {
    if (behaviours) return console.log(inColumns(BEHAVIOURS))
    const emulator = await startEmulator({
      port: wholeNumber('port', port, 0, 65_535),
      host,
      delayMs: wholeNumber('delay-ms', delay, 0),
      chaosSeed: chaos === undefined ? null : wholeNumber('chaos', chaos, 0),
      record,
    })
    console.log(`Countersign model emulator (not a model) at ${emulator.url}`)
    for (const endpoint of ENDPOINT_IDS) console.log(`  ${endpoint.padEnd(20)} ${emulator.url}/${endpoint}`)
    const stop = (): void => void emulator.close().then(() => process.exit(0))
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  },
})
