// npm start: seeds what is missing, runs the Worker in the local runtime and says what to do next.
import { parseArgs } from 'node:util'
import { ensureDemoKeys } from './local/demo.ts'
import { ensureDevVars } from './local/dev-vars.ts'
import { emulatedProviders, hasProviderKey } from './local/emulated-providers.ts'
import { startEmulator } from './emulator/server.ts'
import { isPortFree, startDevServer } from './local/dev-server.ts'
import { prepareStorage } from './local/storage.ts'
import { welcome } from './local/welcome.ts'

const HELP = `npm start [-- --port PORT] [--persist-to FOLDER]

Runs Countersign on 127.0.0.1:8787 (or PORT) with local storage in .wrangler/state (or FOLDER), an invented sample of
waiting lists, a sandbox key and a live key. The model providers are a local emulator and nothing leaves this machine,
unless .dev.vars holds a key to a provider: then live readings go to the real ones.`

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8787' },
    'persist-to': { type: 'string', default: '.wrangler/state' },
    help: { type: 'boolean', short: 'h' },
  },
})

if (values.help === true) {
  console.log(HELP)
} else {
  await start(Number(values.port), values['persist-to'])
}

async function start(port: number, state: string): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return fail('--port takes a number from 1 to 65535.')
  if (!(await isPortFree(port))) {
    return fail(`Port ${port} is in use. Stop what uses it, or choose another: npm start -- --port ${port + 10}`)
  }
  console.log('Starting Countersign …')
  const settings = ensureDevVars()
  const token = settings['OPERATOR_TOKEN'] ?? ''
  await prepareStorage(state)
  const emulator = hasProviderKey(settings) ? null : await startEmulator()
  const server = await startDevServer(port, state, emulator === null ? {} : emulatedProviders(emulator.url))
  process.on('SIGINT', () => server.stop())
  process.on('SIGTERM', () => server.stop())
  const keys = await ensureDemoKeys({ url: server.url, token }, state)
  console.log(welcome(server.url, keys, emulator?.url ?? null))
  server.speak()
  process.exitCode = await server.stopped
  await emulator?.close()
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
