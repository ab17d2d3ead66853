// npm start: seeds what is missing, runs the Worker in the local runtime and says what to do next.
import { parseArgs } from 'node:util'
import { ensureDemoKeys } from './local/demo.ts'
import { ensureDevVars } from './local/dev-vars.ts'
import { isPortFree, startDevServer } from './local/dev-server.ts'
import { prepareStorage } from './local/storage.ts'
import { welcome } from './local/welcome.ts'

const HELP = `npm start [-- --port PORT] [--persist-to FOLDER]

Runs Countersign on 127.0.0.1:8787 (or PORT) with local storage in .wrangler/state (or FOLDER), an invented sample of waiting lists and a
sandbox key. Nothing leaves this machine.`

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
  const { OPERATOR_TOKEN: token = '' } = ensureDevVars()
  await prepareStorage(state)
  const server = await startDevServer(port, state)
  process.on('SIGINT', () => server.stop())
  process.on('SIGTERM', () => server.stop())
  const keys = await ensureDemoKeys({ url: server.url, token }, state)
  console.log(welcome(server.url, keys))
  process.exitCode = await server.stopped
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
