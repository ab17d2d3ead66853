// The command that runs the model emulator by itself: `node scripts/emulator.ts --port 8788`.

import { parseArgs } from 'node:util'
import { BEHAVIOURS } from './emulator/behaviours.ts'
import { startEmulator } from './emulator/server.ts'
import { PROVIDERS } from './emulator/turn.ts'

const USAGE = `Usage: node scripts/emulator.ts [options]

A local server that speaks the wire formats of OpenAI, Anthropic, Google and Perplexity. It is not a model.

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

/** A whole number from the command line; undefined when the option was not given. */
function wholeNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,10}$/.test(text)) return text === undefined ? undefined : Number(text)
  throw new Error(`--${name} wants a whole number`)
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      host: { type: 'string' },
      'delay-ms': { type: 'string' },
      record: { type: 'boolean' },
      chaos: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) {
    console.log(USAGE)
    return
  }
  const emulator = await startEmulator({
    port: wholeNumber('port', values.port) ?? 8788,
    host: values.host ?? '127.0.0.1',
    delayMs: wholeNumber('delay-ms', values['delay-ms']) ?? 0,
    chaosSeed: wholeNumber('chaos', values.chaos) ?? null,
    record: values.record === true,
  })
  console.log(`Countersign model emulator (not a model) at ${emulator.url}`)
  for (const provider of PROVIDERS) console.log(`  ${provider.padEnd(10)} ${emulator.url}/${provider}`)
  const stop = (): void => {
    void emulator.close().then(() => process.exit(0))
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : 'failed')
  process.exitCode = 2
})
