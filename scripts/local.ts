// npm run mailbox, webhook-receiver, witness: runs one of the local servers alone, for a Worker that npm start did not start.
import { runCommand, runSubcommand, UsageError, wholeNumber } from './command-line.ts'
import type { RunningServer } from './local-http-server.ts'
import type { ReceivedMail } from './local/servers/mailbox-page.ts'
import { announceMail, startMailbox } from './local/servers/mailbox.ts'
import { announceMessage, startWebhookReceiver, type ReceivedMessage } from './local/servers/webhook-receiver.ts'
import { startWitness } from './local/servers/witness.ts'

const EXIT_CODES = 'Exit codes: 0 stopped, 1 not started, 2 wrong command line.'

const HELP = `Usage: node scripts/local.ts NAME [options]

Runs one server of npm start alone: mailbox, webhook-receiver or witness.

Example:
  node scripts/local.ts mailbox --help

${EXIT_CODES}`

const MAILBOX_HELP = `Usage: npm run mailbox -- [options]

Runs a local mailbox that takes mail as Resend does and shows it. npm start runs one too.

  --port PORT   port on 127.0.0.1; 0 takes a free one (default 8789)
  --key KEY     key that senders must use (default mailbox-local)

  GET /         the mails as a page, newest first
  GET /mails    the mails as JSON; ?to=ADDRESS for one address

Worker settings for it: MAILER=http MAILER_URL=http://127.0.0.1:8789 MAILER_KEY=mailbox-local
MAIL_FROM=countersign@localhost.example

Example:
  npm run mailbox -- --port 9000

${EXIT_CODES}`

const RECEIVER_HELP = `Usage: npm run webhook-receiver -- [options]

Runs a local webhook receiver that shows messages, and a DNS resolver. npm start runs one too.

  --port PORT                port on 127.0.0.1; 0 takes a free one (default 8790)
  --host NAME=ADDRESS,…      a name that the resolver knows; repeatable

  POST /status/500           answers with this status; 410 disables the webhook
  POST /slow/12000           answers after this many milliseconds
  POST /redirect             redirects
  POST (any other path)      answers 204
  GET /messages              the messages as JSON, with the result of the signature check
  POST /secrets              adds the secret (whsec_…) in the body, to check signatures
  POST /dns-query            the resolver (RFC 8484)

Worker settings for it:
  WEBHOOK_LOOPBACK=on DNS_OVER_HTTPS_URL=http://127.0.0.1:8790/dns-query

Example:
  npm run webhook-receiver -- --host hooks.example=127.0.0.1

${EXIT_CODES}`

const WITNESS_HELP = `Usage: npm run witness -- --log VKEY [options]

Runs a witness (C2SP tlog-witness) that cosigns checkpoints of transparency logs.

It cosigns a checkpoint only if it continues the previous one. It prints its own vkey, for the
setting WITNESSES and for countersign-verify. For development only: a real witness runs elsewhere.

  --log VKEY        verifier key of a log to watch; repeatable (required)
  --name NAME       name of its key (default witness.local)
  --folder FOLDER   its key and state (default .wrangler/witness); an empty folder starts a new one
  --port PORT       port on 127.0.0.1; 0 takes a free one (default 8790)

Example:
  npm run witness -- --log VKEY --port 8791

${EXIT_CODES}`

const PORT = (defaultPort: string) => ({ type: 'string', default: defaultPort }) as const
const LIST = { type: 'string', multiple: true, default: [] as string[] } as const

const printMail = (mail: ReceivedMail): void => console.log(announceMail(mail))
const printMessage = (message: ReceivedMessage): void => console.log(announceMessage(message))

const portIn = (text: string): number => wholeNumber('port', text, 0, 65_535)

const mailbox = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: MAILBOX_HELP,
    options: { port: PORT('8789'), key: { type: 'string', default: 'mailbox-local' } },
    async run({ values: { port, key } }) {
      const started = await startMailbox({ port: portIn(port), key, onMail: printMail })
      console.log(`Local mailbox at ${started.url}. Nothing leaves this machine.`)
      closeOnSignal(started)
    },
  })

const webhookReceiver = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: RECEIVER_HELP,
    options: { port: PORT('8790'), host: LIST },
    async run({ values: { port, host } }) {
      const hosts = Object.fromEntries(host.map(readHost))
      const started = await startWebhookReceiver({ port: portIn(port), hosts, onMessage: printMessage })
      console.log(`Local webhook receiver at ${started.url}. Nothing leaves this machine.`)
      closeOnSignal(started)
    },
  })

const witness = (args: readonly string[]): Promise<number> =>
  runCommand(args, {
    help: WITNESS_HELP,
    options: {
      log: LIST,
      name: { type: 'string', default: 'witness.local' },
      folder: { type: 'string', default: '.wrangler/witness' },
      port: PORT('8790'),
    },
    async run({ values: { log: logs, name, folder, port } }) {
      if (logs.length === 0) throw new UsageError('Add the key of a log to watch: --log VKEY.')
      if (!/^[^\s+]+$/.test(name)) throw new UsageError('--name needs a name without spaces and plus signs.')
      const started = await startWitness({ port: portIn(port), folder, name, logs })
      console.log(`Witness at ${started.url}\n${started.vkey}`)
      closeOnSignal(started)
    },
  })

function closeOnSignal(server: RunningServer): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
}

function readHost(given: string): [name: string, addresses: string[]] {
  const [name, addresses] = given.split('=')
  if (name === undefined || addresses === undefined) throw new UsageError('--host needs NAME=ADDRESS,ADDRESS.')
  return [name, addresses.split(',')]
}

try {
  const commands = { mailbox, 'webhook-receiver': webhookReceiver, witness }
  process.exitCode = await runSubcommand(process.argv.slice(2), HELP, commands)
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : 'failed')
  process.exitCode = 1
}
