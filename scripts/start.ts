// npm start: seeds what is missing, runs the Worker in the local runtime and says what to do next.
import { parseArgs } from 'node:util'
import { startEmulator } from './emulator/server.ts'
import { ensureDemoKeys } from './local/demo.ts'
import { isPortFree, startDevServer } from './local/dev-server.ts'
import { DEV_VARS, ensureDevVars, type Settings } from './local/dev-vars.ts'
import { emulatedProviders, hasProviderKey } from './local/emulated-providers.ts'
import { whenToLeave } from './local/leaving.ts'
import { prepareStorage } from './local/storage.ts'
import { welcome } from './local/welcome.ts'

const HELP = `npm start [-- --port PORT] [--persist-to FOLDER] [--dev-vars FILE]

Runs Countersign on 127.0.0.1:8787 (or PORT) with local storage in .wrangler/state (or FOLDER), an invented sample of
waiting lists, a sandbox key and a live key. The model providers are a local emulator and nothing leaves this machine,
unless .dev.vars (or FILE) holds a key to a provider: then live readings go to the real ones. Every setting of that file
reaches the Worker.

Exit code: 0 stopped with Ctrl-C or SIGTERM, 1 not started, or ended by something else.`

const ENDED =
  'The Worker was ended by something else, so nothing runs any more. Its state is kept: npm start runs it again.'

type Start = { port: number; state: string; devVars: string }

try {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8787' },
      'persist-to': { type: 'string', default: '.wrangler/state' },
      'dev-vars': { type: 'string', default: DEV_VARS },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) console.log(HELP)
  else await start({ port: Number(values.port), state: values['persist-to'], devVars: values['dev-vars'] })
} catch (thrown) {
  console.error(reasonOf(thrown))
  // A local runtime that could not be opened would keep the process.
  process.exit(1)
}

async function start({ port, state, devVars }: Start): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return fail('--port takes a number from 1 to 65535.')
  if (!(await isPortFree(port))) {
    return fail(`Port ${port} is in use. Stop what uses it, or choose another: npm start -- --port ${port + 10}`)
  }
  const leave = whenToLeave()
  console.log('Starting Countersign …')
  const settings = await using(`The settings in ${devVars}`, () => ensureDevVars(devVars))
  await using(`The storage in ${state}`, () => prepareStorage(state))
  const emulator = hasProviderKey(settings) ? null : await startEmulator()
  const emulated = emulator === null ? {} : emulatedProviders(emulator.url)
  try {
    await serve({ port, state, devVars, settings: { ...settings, ...emulated } }, emulator?.url ?? null, leave)
  } catch (thrown) {
    if (!leave.aborted) fail(reasonOf(thrown))
  } finally {
    await emulator?.close()
  }
}

/** Until it is to leave. Throws where the Worker does not start, or ends by itself. */
async function serve(
  worker: Start & { settings: Settings },
  emulatorUrl: string | null,
  leave: AbortSignal,
): Promise<void> {
  const server = await startDevServer(worker, leave)
  try {
    const token = worker.settings['OPERATOR_TOKEN'] ?? ''
    const keys = await ensureDemoKeys({ url: server.url, token }, worker.state)
    console.log(welcome(server.url, keys, emulatorUrl, worker.state))
    server.speak()
    await server.ended
  } finally {
    server.stop()
    await server.ended
  }
  if (!leave.aborted) throw new Error(ENDED)
}

/** Says of what fails what it was for. */
async function using<T>(what: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (thrown) {
    throw new Error(`${what} cannot be used: ${reasonOf(thrown)}`, { cause: thrown })
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}
