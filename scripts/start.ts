// npm start: creates missing demo data, starts the local servers and the Worker, and prints what to do next. With --demo it first
// fills a year of invented calls.
import { parseArgs } from 'node:util'
import { ensureLocalOrganisations, makeSessionFile, type DemoTarget } from './local/local-organisations.ts'
import { fillYear, readYear, writeYear, type FilledYear, type YearSize } from './local/demo-year/fill-year.ts'
import { demoYearMessage } from './local/demo-year/demo-year-message.ts'
import { isPortFree, startDevServer, exitSignal, type DevServer } from './local/dev-server.ts'
import { DEV_VARS, ensureDevVars } from './local/dev-vars.ts'
import { startLocalServers, type LocalServers } from './local/local-servers.ts'
import { announceMail } from './local/servers/mailbox.ts'
import { announceMessage } from './local/servers/webhook-receiver.ts'
import { copyPages, prepareStorage } from './local/prepare-storage.ts'
import { startMessage } from './local/start-message.ts'

const HELP = `npm start [-- --port PORT] [--persist-to FOLDER] [--dev-vars FILE] [--demo]

Runs Countersign on 127.0.0.1:8787 (or PORT) with local storage in .wrangler/state (or FOLDER), an invented sample of
waiting lists, a sandbox key and a live key, and on each tier an organisation with a key and a person who can sign in. The
model providers are a local emulator and nothing leaves this machine, unless .dev.vars (or FILE) holds a key to a provider:
then live readings go to the real ones. Mail ends in a local mailbox, and its links are printed. People can also sign in by
an emulated identity provider, unless the file has OAUTH_PROVIDERS. Every setting of that file reaches the Worker, but those of
mail and sign-up.

With --demo there is an organisation instead that has a year of invented calls, made at the first such start in about a minute, and lines
to paste that show what comes of them. Every answer about it says that it is invented. --demo-days N and --demo-calls N make it other
than 365 days with 80 calls on an average one.

Exit code: 0 stopped with Ctrl-C or SIGTERM, 1 not started, or ended by something else.`

const ENDED =
  'The Worker was ended by something else, so nothing runs any more. Its state is kept: npm start runs it again.'

/** The options of a start. `year`: the size of a demo year, or null for none. */
type StartOptions = { port: number; state: string; devVars: string; year: YearSize | null }

type LocalRun = Omit<StartOptions, 'year'> & { pages: string; servers: LocalServers; leaveSignal: AbortSignal }

const FILLING_WORKER = 'scripts/local/demo-year/worker/demo-worker.ts'

try {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8787' },
      'persist-to': { type: 'string', default: '.wrangler/state' },
      'dev-vars': { type: 'string', default: DEV_VARS },
      demo: { type: 'boolean', default: false },
      'demo-days': { type: 'string', default: '365' },
      'demo-calls': { type: 'string', default: '80' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) console.log(HELP)
  else {
    const size = { days: Number(values['demo-days']), callsADay: Number(values['demo-calls']) }
    const year = values.demo ? size : null
    await start({ port: Number(values.port), state: values['persist-to'], devVars: values['dev-vars'], year })
  }
} catch (thrown) {
  console.error(reasonOf(thrown))
  // A local runtime that failed to open would keep the process alive.
  process.exit(1)
}

async function start({ port, state, devVars, year }: StartOptions): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error('--port takes a number from 1 to 65535.')
  const isSized = year === null || Object.values(year).every((number) => Number.isInteger(number) && number > 0)
  if (!isSized) throw new Error('--demo-days and --demo-calls take whole numbers from 1 on.')
  if (!(await isPortFree(port))) {
    throw new Error(`Port ${port} is in use. Stop what uses it, or choose another: npm start -- --port ${port + 10}`)
  }
  const leaveSignal = exitSignal()
  console.log('Starting Countersign …')
  const settings = await runStep(`The settings in ${devVars}`, () => ensureDevVars(devVars))
  await runStep(`The storage in ${state}`, () => prepareStorage(state))
  const pages = await runStep('What npm run pages builds', () => copyPages(state))
  // The setup itself uses the links that are mailed before the greeting.
  let isGreeted = false
  const announce = (line: string): void => {
    if (isGreeted) console.log(line)
  }
  const servers = await startLocalServers(settings, state, {
    mail: (mail) => announce(announceMail(mail)),
    message: (message) => announce(announceMessage(message)),
  })
  const run = { port, state, pages, devVars, servers, leaveSignal }
  try {
    const filled = year === null ? null : await ensureYear(run, year)
    if (!leaveSignal.aborted) await serve(run, filled, () => (isGreeted = true))
  } catch (thrown) {
    if (!leaveSignal.aborted) throw thrown
  } finally {
    await servers.close()
  }
}

/** Returns the demo year of an earlier start, or fills a new one. The Worker that fills it has ended by then. */
async function ensureYear(run: LocalRun, size: YearSize): Promise<FilledYear> {
  const kept = readYear(run.state)
  if (kept !== null) return kept
  console.log(`Filling ${size.days} days with invented calls …`)
  return withWorker(run, FILLING_WORKER, async (server) => {
    const filling = fillYear(targetOf(run, server.url), size, (line) => console.log(line))
    const filled = await Promise.race([filling, server.ended])
    if (filled === undefined) throw new Error(ENDED)
    writeYear(run.state, filled)
    return filled
  })
}

/** Runs the service until the person stops it. Throws if the Worker does not start, or ends by itself. */
async function serve(run: LocalRun, filled: FilledYear | null, onGreeted: () => void): Promise<void> {
  await withWorker(run, undefined, async (server) => {
    // An ended Worker mails nothing, so nothing may wait for its mail.
    const greeting = await Promise.race([greet(targetOf(run, server.url), run, filled), server.ended])
    if (greeting !== undefined) {
      console.log(greeting)
      server.showLogs()
      onGreeted()
    }
    await server.ended
  })
  if (!run.leaveSignal.aborted) throw new Error(ENDED)
}

/** Runs `work` with a running Worker. @param entrypoint another entry than that of wrangler.toml */
async function withWorker<Result>(
  { port, state, pages, devVars, servers: { settings }, leaveSignal }: LocalRun,
  entrypoint: string | undefined,
  work: (server: DevServer) => Promise<Result>,
): Promise<Result> {
  const server = await startDevServer({ port, state, pages, devVars, settings, entrypoint }, leaveSignal)
  try {
    return await work(server)
  } finally {
    server.stop()
    await server.ended
  }
}

function targetOf({ servers: { settings, mailbox } }: LocalRun, url: string): DemoTarget {
  const origin = new URL(settings['PUBLIC_ORIGIN'] ?? url).origin
  return { url, origin, mailbox, token: settings['OPERATOR_TOKEN'] ?? '' }
}

async function greet(target: DemoTarget, { state, servers }: LocalRun, filled: FilledYear | null): Promise<string> {
  const place = { url: target.url, origin: target.origin, sessionFile: makeSessionFile(state), state }
  if (filled !== null) return demoYearMessage(place, filled)
  const { emulator, mailbox, webhookReceiver, identityProvider, witness, timestampAuthority } = servers
  const demo = await ensureLocalOrganisations(target, state)
  const local = {
    ...place,
    emulatorUrl: emulator?.url ?? null,
    mailboxUrl: mailbox.url,
    webhookReceiverUrl: webhookReceiver.url,
    identityProviderUrl: identityProvider?.url ?? null,
    witness,
    authorityCertificate: timestampAuthority?.certificateFile ?? null,
  }
  return startMessage(local, demo)
}

/** Runs a step. If it fails, the error names `what`. */
async function runStep<T>(what: string, step: () => T | Promise<T>): Promise<T> {
  try {
    return await step()
  } catch (thrown) {
    throw new Error(`${what} cannot be used: ${reasonOf(thrown)}`, { cause: thrown })
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}
