// Runs the model emulator alone: `node scripts/emulator.ts --port 8788`.

import { runCommand, wholeNumber } from './command-line.ts'
import { BEHAVIOURS } from './emulator/behaviours.ts'
import { startEmulator } from './emulator/server.ts'
import { PROVIDER_IDS, PROVIDERS } from '../src/providers/provider-registry.ts'

const USAGE = `Usage: node scripts/emulator.ts [options]

A local server that speaks the wire formats of the providers: ${PROVIDERS.map(({ label }) => label).join(', ')}. It is not a model.

  --port N       port to listen on (8788; 0 takes any)
  --host NAME    address to listen on (127.0.0.1)
  --delay-ms N   wait before every answer
  --record       keep requests in memory, for GET /_emulator/requests
  --chaos SEED   misbehave at random, repeatably
  --help         this text

Behaviours, asked for in a base URL (/openai/_behave/slow,200), a model name (gpt-4.1-mini--slow,200),
the header x-emulator-behaviour, or POST /_emulator/behave; joined by +:

${BEHAVIOURS.map(([usage, effect]) => `  ${usage.padEnd(24)} ${effect}`).join('\n')}
`

process.exitCode = await runCommand(process.argv.slice(2), {
  help: USAGE,
  options: {
    port: { type: 'string', default: '8788' },
    host: { type: 'string', default: '127.0.0.1' },
    'delay-ms': { type: 'string', default: '0' },
    record: { type: 'boolean', default: false },
    chaos: { type: 'string' },
  },
  async run({ values: { port, host, 'delay-ms': delay, record, chaos } }) {
    const emulator = await startEmulator({
      port: wholeNumber('port', port, 0, 65_535),
      host,
      delayMs: wholeNumber('delay-ms', delay, 0),
      chaosSeed: chaos === undefined ? null : wholeNumber('chaos', chaos, 0),
      record,
    })
    console.log(`Countersign model emulator (not a model) at ${emulator.url}`)
    for (const provider of PROVIDER_IDS) console.log(`  ${provider.padEnd(10)} ${emulator.url}/${provider}`)
    const stop = (): void => void emulator.close().then(() => process.exit(0))
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  },
})
