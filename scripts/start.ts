// npm start: seeds what is missing, runs the Worker in the local runtime and says what to do next.
import { parseArgs } from 'node:util'
import { startCompanions, type Companions } from './local/companions.ts'
import { ensureDemo, makeSessionFile } from './local/demo.ts'
import { isPortFree, startDevServer } from './local/dev-server.ts'
import { DEV_VARS, ensureDevVars } from './local/dev-vars.ts'
import { whenToLeave } from './local/leaving.ts'
import { prepareStorage } from './local/storage.ts'
import { welcome } from './local/welcome.ts'
import { announce } from './mailbox/announce.ts'
import { announceMessage } from './webhook-receiver/announce.ts'

const HELP = `npm start [-- --port PORT] [--persist-to FOLDER] [--dev-vars FILE]

Runs Countersign on 127.0.0.1:8787 (or PORT) with local storage in .wrangler/state (or FOLDER), an invented sample of
waiting lists, a sandbox key and a live key, and on each tier an organisation with a key and a person who can sign in. The
model providers are a local emulator and nothing leaves this machine, unless .dev.vars (or FILE) holds a key to a provider:
then live readings go to the real ones. Mail ends in a local mailbox, and its links are printed. People can also sign in by
an emulated identity provider, unless the file has OAUTH_PROVIDERS. Every setting of that file reaches the Worker, but those of
mail and sign-up.

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
  const announcements = new Announcements()
  const companions = await startCompanions(settings, state, {
    mail: (mail) => announcements.take(announce(mail)),
    message: (message) => announcements.take(announceMessage(message)),
  })
  try {
    await serve({ port, state, devVars, companions }, announcements, leave)
  } catch (thrown) {
    if (!leave.aborted) fail(reasonOf(thrown))
  } finally {
    await companions.close()
  }
}

/** Until it is to leave. Throws where the Worker does not start, or ends by itself. */
async function serve(
  { port, state, devVars, companions }: Start & { companions: Companions },
  announcements: Announcements,
  leave: AbortSignal,
): Promise<void> {
  const { settings, emulator, mailbox, webhookReceiver, identityProvider, witness, timestampAuthority } = companions
  const server = await startDevServer({ port, state, devVars, settings }, leave)
  const { url } = server
  const origin = new URL(settings['PUBLIC_ORIGIN'] ?? url).origin
  try {
    const target = { url, origin, mailbox, token: settings['OPERATOR_TOKEN'] ?? '' }
    // A Worker that has ended mails nothing any more.
    const demo = await Promise.race([ensureDemo(target, state), server.ended])
    if (demo !== undefined) {
      const beside = {
        emulatorUrl: emulator?.url ?? null,
        mailboxUrl: mailbox.url,
        webhookReceiverUrl: webhookReceiver.url,
        identityProviderUrl: identityProvider?.url ?? null,
        witness,
        authorityCertificate: timestampAuthority?.certificateFile ?? null,
      }
      console.log(welcome({ url, origin, ...beside, state, sessionFile: makeSessionFile(state) }, demo))
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
