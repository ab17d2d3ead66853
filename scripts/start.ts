// npm start: prepares what is missing, starts the local servers and the Worker, and prints what to do next. With --demo it first
// fills 90 days, or more, with invented calls.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildPages } from './build-pages.ts'
import { runCommand, wholeNumber } from './command-line.ts'
import { DOCUMENTS_TIER, ensureLocalOrganisations, type DemoTarget } from './local/local-organisations.ts'
import {
  ensureWaiting,
  fillYear,
  readYear,
  writeYear,
  type FilledYear,
  type YearSize,
} from './local/demo-year/fill-year.ts'
import { isPortFree, startDevServer, exitSignal, type DevServer } from './local/dev-server.ts'
import { DEV_VARS, ensureDevVars } from './local/dev-vars.ts'
import {
  DEFAULT_STATE,
  readLocalFacts,
  writeLocalFacts,
  writePasteFiles,
  type LocalFacts,
} from './local/local-facts.ts'
import { startLocalServers, type LocalServers } from './local/local-servers.ts'
import { announceMail } from './local/servers/mailbox.ts'
import { startSignInLink } from './local/servers/sign-in-link.ts'
import { announceMessage } from './local/servers/webhook-receiver.ts'
import { copyPages, prepareStorage } from './local/prepare-storage.ts'
import { startMessage } from './local/start-message.ts'
import { faultOf } from './local/folder-fault.mjs'
import { lockFolder } from './lock-folder.ts'
import { firstToken } from './operator/operator-client.ts'

const HELP = `Usage: npm start [-- options]

Runs Countersign on this machine, with invented waiting lists, keys and people. A local emulator
answers for the model providers, and all mail ends in a local mailbox. Nothing leaves this machine,
unless the settings file holds a provider's key: then calls to models reach it and cost money.

  --port PORT          port of the service (default 8787)
  --persist-to FOLDER  folder of the storage (default .wrangler/state)
  --dev-vars FILE      settings, which override those of wrangler.toml (default .dev.vars)
  --demo               adds an organisation with invented calls
  --demo-days N        days of these calls, 365 for a year (default 90)
  --demo-calls N       calls on an average day (default 80)

Example:
  npm start -- --demo

Exit codes: 0 stopped by Ctrl-C or SIGTERM, 1 not started or crashed, 2 wrong command line.`

const ENDED =
  'The Worker was ended by something else, so nothing runs any more. Its state is kept: npm start runs it again.'

/** The options of a start. `year`: the size of the demo, or null for none. */
type StartOptions = { port: number; state: string; devVars: string; year: YearSize | null }

/** What the Worker needs before it can run. */
type Prepared = { pages: string; servers: LocalServers }

type LocalRun = StartOptions & { preparing: Promise<Prepared>; leaveSignal: AbortSignal }

/** The pages, and the files of wrangler beside them. */
const PROJECT_MB = 50
/** The storage, which begins with 15 MB, and the pages in it. */
const STATE_MB = 100

/** Nothing that was asked to end may take longer. What it was doing is done again by the next start. */
const LEAVES_WITHIN_MS = 2_500

/** True while the line of progress is not ended. */
let hasOpenLine = false

const FILLING_WORKER = 'scripts/local/demo-year/worker/demo-worker.ts'

try {
  process.exitCode = await runCommand(process.argv.slice(2), {
    help: HELP,
    options: {
      port: { type: 'string', default: '8787' },
      'persist-to': { type: 'string', default: DEFAULT_STATE },
      'dev-vars': { type: 'string', default: DEV_VARS },
      demo: { type: 'boolean', default: false },
      'demo-days': { type: 'string', default: '90' },
      'demo-calls': { type: 'string', default: '80' },
    },
    async run({ values }) {
      const size = {
        days: wholeNumber('demo-days', values['demo-days'], 1, 10_000),
        callsADay: wholeNumber('demo-calls', values['demo-calls']),
      }
      const port = wholeNumber('port', values.port, 1, 65_535)
      const year = values.demo ? size : null
      await start({ port, state: values['persist-to'], devVars: values['dev-vars'], year })
    },
  })
} catch (thrown) {
  endProgress()
  console.error(reasonOf(thrown))
  // A local runtime that failed to open would keep the process alive.
  process.exit(1)
}

async function start(options: StartOptions): Promise<void> {
  const { port, state } = options
  requireRoom(process.cwd(), PROJECT_MB, 'Copy the project to a folder that can be written to.')
  requireRoom(state, STATE_MB, 'Choose another folder: npm start -- --persist-to FOLDER')
  const unlock = await runStep(`The storage in ${state}`, () => lockState(state))
  try {
    if (!(await isPortFree(port))) {
      throw new Error(`Port ${port} is in use. Stop what uses it, or choose another: npm start -- --port ${port + 10}`)
    }
    await run(options)
  } finally {
    unlock()
  }
}

/** A later failure, in many places, would say less. */
function requireRoom(folder: string, megabytes: number, remedy: string): void {
  const fault = faultOf(folder, megabytes)
  if (fault !== null) throw new Error(`${folder} cannot be used: ${fault}. ${remedy}`)
}

/** Refuses a second start with the same storage. Returns a function that ends the lock. */
function lockState(state: string): () => void {
  const folder = join(state, 'running')
  mkdirSync(folder, { recursive: true })
  return lockFolder(
    folder,
    `another npm start uses it. Stop that one, or choose another folder: npm start -- --persist-to FOLDER --port PORT`,
  )
}

async function run(options: StartOptions): Promise<void> {
  const leaveSignal = exitSignal()
  leaveSignal.addEventListener('abort', sayLeaving)
  progress('Starting Countersign …')
  // The setup itself uses the links that are mailed before the greeting.
  let isGreeted = false
  const announce = (line: string): void => {
    if (isGreeted) console.log(line)
  }
  const preparing = prepare(options, leaveSignal, announce)
  const localRun = { ...options, preparing, leaveSignal }
  try {
    const filled = options.year === null ? null : await ensureYear(localRun, options.year)
    if (!leaveSignal.aborted) await serve(localRun, filled, () => (isGreeted = true))
  } catch (thrown) {
    if (!leaveSignal.aborted) throw thrown
  } finally {
    await preparing.then(
      ({ servers }) => servers.close(),
      () => {},
    )
  }
}

async function prepare(
  { state, devVars }: StartOptions,
  leaveSignal: AbortSignal,
  announce: (line: string) => void,
): Promise<Prepared> {
  const settings = await runStep(`The settings in ${devVars}`, () => ensureDevVars(devVars))
  await runStep(`The storage in ${state}`, () => prepareStorage(state, () => progress(' preparing the storage …')))
  leaveSignal.throwIfAborted()
  await buildPages(() => progress(' building the pages …'), leaveSignal)
  const pages = copyPages(state)
  const servers = await startLocalServers(settings, state, readLocalFacts(state), {
    mail: (mail) => announce(announceMail(mail)),
    message: (message) => announce(announceMessage(message)),
  })
  return { pages, servers }
}

function sayLeaving(): void {
  if (hasOpenLine) console.log('\nStopping. The next npm start prepares what is missing.')
  hasOpenLine = false
  // The local runtime, while this process has one, ends it too, with the signal's exit code.
  process.once('exit', () => (process.exitCode = 0))
  setTimeout(() => process.exit(), LEAVES_WITHIN_MS).unref()
}

/** Returns the demo of an earlier start, or fills a new one. The Worker that fills it has ended by then. */
async function ensureYear(localRun: LocalRun, size: YearSize): Promise<FilledYear> {
  const kept = readYear(localRun.state)
  if (kept !== null) return kept
  return withWorker(localRun, FILLING_WORKER, async (server, target) => {
    progress(` filling ${size.days} days with invented calls …\n`)
    const filling = fillYear(target, size, (line) => console.log(line))
    const filled = await Promise.race([filling, server.ended])
    if (filled === undefined) throw new Error(ENDED)
    writeYear(localRun.state, filled)
    return filled
  })
}

/** Runs the service until the person stops it. Throws if the Worker does not start, or ends by itself. */
async function serve(localRun: LocalRun, filled: FilledYear | null, onGreeted: () => void): Promise<void> {
  await withWorker(localRun, undefined, async (server, target) => {
    // An ended Worker mails nothing, so nothing may wait for its mail.
    const greeting = await Promise.race([greet(target, localRun, filled), server.ended])
    if (greeting === undefined) return
    endProgress()
    console.log(greeting.text)
    server.showLogs()
    onGreeted()
    await server.ended
    await greeting.close()
  })
  if (!localRun.leaveSignal.aborted) throw new Error(ENDED)
}

/** Runs `work` with a running Worker. @param entrypoint another entry than that of wrangler.toml */
async function withWorker<Result>(
  { port, state, devVars, preparing, leaveSignal }: LocalRun,
  entrypoint: string | undefined,
  work: (server: DevServer, target: DemoTarget) => Promise<Result>,
): Promise<Result> {
  const options = preparing.then(({ pages, servers: { settings } }) => ({
    port,
    state,
    pages,
    devVars,
    settings,
    entrypoint,
  }))
  const server = await startDevServer(options, leaveSignal)
  try {
    const { servers } = await preparing
    return await work(server, targetOf(servers, server.url))
  } finally {
    server.stop()
    await server.ended
  }
}

function targetOf({ settings, mailbox }: LocalServers, url: string): DemoTarget {
  const origin = new URL(settings['PUBLIC_ORIGIN'] ?? url).origin
  return { url, origin, mailbox, token: firstToken(settings['OPERATOR_TOKEN'] ?? '') }
}

/** Creates what is missing in the running service. Returns the text to print, and what ends the link in it. */
async function greet(target: DemoTarget, { state, devVars, preparing }: LocalRun, filled: FilledYear | null) {
  const { servers } = await preparing
  const organisations = await ensureLocalOrganisations(target, state, (areRefused) => {
    progress(areRefused ? `\n${keysRefused(devVars)}\n` : ' creating keys and people …')
  })
  // With a real provider, an approved call would cost money.
  if (filled !== null && servers.emulator !== null) await ensureWaiting(target.url, state, filled)
  const facts = factsOf(servers, target.url, filled !== null)
  writeLocalFacts(state, facts)
  writePasteFiles(state, facts, organisations, filled)
  const { url: signInLink, close } = await startSignInLink(
    target,
    filled?.owner ?? organisations.tenants[DOCUMENTS_TIER],
  )
  const organisation =
    filled === null ? `the organisation on the tier ${DOCUMENTS_TIER}` : 'the organisation with the invented calls'
  return { text: startMessage({ facts, signInLink, organisation, state, devVars }), close }
}

function keysRefused(devVars: string): string {
  return `The keys of an earlier start are refused, so new ones are made. If KEY_PEPPERS in ${devVars} has changed, both count with '2:NEW,1:OLD'.`
}

function factsOf(servers: LocalServers, url: string, demo: boolean): LocalFacts {
  return {
    url,
    demo,
    emulator: servers.emulator?.url ?? null,
    mailbox: servers.mailbox.url,
    webhookReceiver: servers.webhookReceiver.url,
    identityProvider: servers.identityProvider?.url ?? null,
    witness: servers.witness,
  }
}

/** Says what is being done, in one line. */
function progress(step: string): void {
  hasOpenLine = true
  process.stdout.write(step)
}

function endProgress(): void {
  if (hasOpenLine) process.stdout.write('\n')
  hasOpenLine = false
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
