// npm start: seeds what is missing, runs the Worker in the local runtime and says what to do next.
import { parseArgs } from 'node:util'
import { ensureDemo, makeSessionFile, type DemoTarget } from './local/demo.ts'
import { fillYear, type FilledYear, type YearSize } from './local/demo-year/fill-year.ts'
import { readYear, writeYear } from './local/demo-year/kept-year.ts'
import { yearLines } from './local/demo-year/year-lines.ts'
import { isPortFree, startDevServer } from './local/dev-server.ts'
import { DEV_VARS, ensureDevVars } from './local/dev-vars.ts'
import { keepPages } from './local/kept-pages.ts'
import { whenToLeave } from './local/leaving.ts'
import { startLocalServers, type LocalServers } from './local/servers.ts'
import { announceMail } from './local/servers/mailbox.ts'
import { announceMessage } from './local/servers/webhook-receiver.ts'
import { prepareStorage } from './local/storage.ts'
import { welcome } from './local/welcome.ts'
import type { WorkerOrder } from './local/worker-process.ts'

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

/** Quiet until it is asked to speak: the links by which the demonstration is made are used by then. */
class Announcements {
  #speaks = false

  speak(): void {
    this.#speaks = true
  }

  take(line: string): void {
    if (this.#speaks) console.log(line)
  }
}

/** `year`: how large an invented one; null where none is wanted. */
type Start = { port: number; state: string; devVars: string; year: YearSize | null }

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
  // A local runtime that could not be opened would keep the process.
  process.exit(1)
}

async function start({ port, state, devVars, year }: Start): Promise<void> {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return fail('--port takes a number from 1 to 65535.')
  const isSized = year === null || Object.values(year).every((number) => Number.isInteger(number) && number > 0)
  if (!isSized) return fail('--demo-days and --demo-calls take whole numbers from 1 on.')
  if (!(await isPortFree(port))) {
    return fail(`Port ${port} is in use. Stop what uses it, or choose another: npm start -- --port ${port + 10}`)
  }
  const leave = whenToLeave()
  console.log('Starting Countersign …')
  const settings = await using(`The settings in ${devVars}`, () => ensureDevVars(devVars))
  await using(`The storage in ${state}`, () => prepareStorage(state))
  const pages = await using('What npm run pages builds', () => keepPages(state))
  const announcements = new Announcements()
  const servers = await startLocalServers(settings, state, {
    mail: (mail) => announcements.take(announceMail(mail)),
    message: (message) => announcements.take(announceMessage(message)),
  })
  const place = { port, state, pages, devVars, servers }
  try {
    const filled = year === null ? null : await ensureYear(place, year, leave)
    const greet = async (target: DemoTarget): Promise<string> =>
      filled === null ? greetNewcomer(target, place) : yearLines(placeOfLines(target, state), filled)
    if (!leave.aborted) await serve(place, greet, announcements, leave)
  } catch (thrown) {
    if (!leave.aborted) fail(reasonOf(thrown))
  } finally {
    await servers.close()
  }
}

type Place = Omit<Start, 'year'> & { pages: string; servers: LocalServers }

/** The one of an earlier start, or a new one. The Worker that fills it is gone by the time the service is there. */
async function ensureYear(place: Place, size: YearSize, leave: AbortSignal): Promise<FilledYear> {
  const kept = readYear(place.state)
  if (kept !== null) return kept
  console.log(`Filling ${size.days} days with invented calls …`)
  const server = await startDevServer({ ...orderOf(place), entrypoint: FILLING_WORKER }, leave)
  try {
    const filling = fillYear(targetOf(place, server.url), size, (line) => console.log(line))
    const filled = await Promise.race([filling, server.ended])
    if (filled === undefined) throw new Error(ENDED)
    writeYear(place.state, filled)
    return filled
  } finally {
    server.stop()
    await server.ended
  }
}

function orderOf({ port, state, pages, devVars, servers: { settings } }: Place): WorkerOrder {
  return { port, state, pages, devVars, settings }
}

function targetOf({ servers: { settings, mailbox } }: Place, url: string): DemoTarget {
  const origin = new URL(settings['PUBLIC_ORIGIN'] ?? url).origin
  return { url, origin, mailbox, token: settings['OPERATOR_TOKEN'] ?? '' }
}

/**
 * Until it is to leave. Throws where the Worker does not start, or ends by itself.
 *
 * @param greet makes what is printed once it runs
 */
async function serve(
  place: Place,
  greet: (target: DemoTarget) => Promise<string>,
  announcements: Announcements,
  leave: AbortSignal,
): Promise<void> {
  const server = await startDevServer(orderOf(place), leave)
  try {
    // A Worker that has ended mails nothing any more.
    const greeting = await Promise.race([greet(targetOf(place, server.url)), server.ended])
    if (greeting !== undefined) {
      console.log(greeting)
      server.speak()
      announcements.speak()
    }
    await server.ended
  } finally {
    server.stop()
    await server.ended
  }
  if (!leave.aborted) throw new Error(ENDED)
}

function placeOfLines({ url, origin }: DemoTarget, state: string) {
  return { url, origin, sessionFile: makeSessionFile(state), state }
}

async function greetNewcomer(target: DemoTarget, { state, servers }: Place): Promise<string> {
  const { emulator, mailbox, webhookReceiver, identityProvider, witness, timestampAuthority } = servers
  const demo = await ensureDemo(target, state)
  const beside = {
    emulatorUrl: emulator?.url ?? null,
    mailboxUrl: mailbox.url,
    webhookReceiverUrl: webhookReceiver.url,
    identityProviderUrl: identityProvider?.url ?? null,
    witness,
    authorityCertificate: timestampAuthority?.certificateFile ?? null,
  }
  return welcome({ ...placeOfLines(target, state), ...beside }, demo)
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
