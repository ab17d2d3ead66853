// npm run mailbox, webhook-receiver, witness: runs one of the local servers alone, for a Worker that npm start did not start.
import { runCommand, runSubcommand, UsageError, wholeNumber } from './command-line.ts'
import type { RunningServer } from './local-http-server.ts'
import type { ReceivedMail } from './local/servers/mailbox-page.ts'
import { announceMail, startMailbox } from './local/servers/mailbox.ts'
import { announceMessage, startWebhookReceiver, type ReceivedMessage } from './local/servers/webhook-receiver.ts'
import { startWitness } from './local/servers/witness.ts'

const HELP = `node scripts/local.ts mailbox | webhook-receiver | witness [options]

Runs one of the servers of npm start alone. --help after its name shows its options.`

const MAILBOX_HELP = `npm run mailbox [-- --port PORT] [--key KEY]

A mailbox on this machine: it takes mail as Resend does (POST /emails) and shows it instead of sending it. It listens on
127.0.0.1:8789 (or PORT) and takes mail from whoever brings KEY (mailbox-local). npm start runs one by itself.

  GET /         the mails as a page, newest first
  GET /mails    the same as JSON; ?to=ADDRESS for those to one address

Settings of a Worker that is to use it: MAILER=http MAILER_URL=http://127.0.0.1:8789 MAILER_KEY=mailbox-local
MAIL_FROM=countersign@localhost.example`

const RECEIVER_HELP = `npm run webhook-receiver [-- --port PORT] [--host NAME=ADDRESS,ADDRESS …]

A receiver of webhooks on this machine: it takes messages and shows them. It listens on 127.0.0.1:8790 (or PORT). It is a
resolver over HTTPS too, which knows the names given and no other. npm start runs one by itself.

  POST /status/500   takes the message and answers with that status; 410 disables the webhook
  POST /slow/12000   answers after so many milliseconds
  POST /redirect     sends on
  POST (any other)   answers 204
  GET  /messages     what came, as JSON, and whether it is signed by a secret it was told of
  POST /secrets      a secret (whsec_…) as the body
  POST /dns-query    the resolver (RFC 8484)

Settings of a Worker that is to use it: WEBHOOK_LOOPBACK=on DNS_OVER_HTTPS_URL=http://127.0.0.1:8790/dns-query`

const WITNESS_HELP = `npm run witness -- --log VKEY [--log VKEY …] [--name NAME] [--folder FOLDER] [--port PORT]

Watches transparency logs as C2SP's tlog-witness says: cosigns a log's checkpoint only if it continues the one cosigned before.
Listens on 127.0.0.1:8790 (or PORT), and prints its own vkey, for the setting WITNESSES of a log and for countersign-verify.

  --log VKEY       a log that it watches, by the log's verifier key
  --name NAME      the name of its key (witness.local)
  --folder FOLDER  where its key and what it has cosigned are kept (.wrangler/witness). A folder without a key becomes a new
                   witness; one whose key has lost what it cosigned is refused, and one that another witness runs on

A witness on the machine of its log watches nothing: this one is for development and tests. In earnest it runs elsewhere, by
somebody else's hand, behind something that speaks TLS.

Exit code: 0 stopped with Ctrl-C or SIGTERM, 1 not started, 2 not understood.`

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
      console.log(`Local receiver of webhooks at ${started.url}. Nothing leaves this machine.`)
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
      if (logs.length === 0) throw new UsageError('Say with --log which logs it watches.')
      if (!/^[^\s+]+$/.test(name)) throw new UsageError('--name takes a name without white space and plus.')
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
  if (name === undefined || addresses === undefined) throw new UsageError('--host takes NAME=ADDRESS,ADDRESS.')
  return [name, addresses.split(',')]
}

try {
  const commands = { mailbox, 'webhook-receiver': webhookReceiver, witness }
  process.exitCode = await runSubcommand(process.argv.slice(2), HELP, commands)
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : 'failed')
  process.exitCode = 1
}
