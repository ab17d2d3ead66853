// npm run mailbox, webhook-receiver, witness: one of the servers that npm start runs, alone, for a Worker that is started otherwise.
import { parseArgs } from 'node:util'
import type { Listening } from './http-server.ts'
import { announceMail, startMailbox, type KeptMail } from './local/servers/mailbox.ts'
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

Exit code: 0 stopped with Ctrl-C or SIGTERM, 1 not started.`

type Command = { help: string; start: (args: string[]) => Promise<Listening> }

const COMMANDS: Readonly<Record<string, Command>> = {
  mailbox: {
    help: MAILBOX_HELP,
    async start(args) {
      const { port, key } = parseArgs({ args, options: { port: text('8789'), key: text('mailbox-local') } }).values
      const mailbox = await startMailbox({ port: portIn(port), key, onMail: sayMail })
      console.log(`Local mailbox at ${mailbox.url}. Nothing leaves this machine.`)
      return mailbox
    },
  },
  'webhook-receiver': {
    help: RECEIVER_HELP,
    async start(args) {
      const { port, host } = parseArgs({ args, options: { port: text('8790'), host: texts } }).values
      const hosts = Object.fromEntries(host.map(readHost))
      const receiver = await startWebhookReceiver({ port: portIn(port), hosts, onMessage: sayMessage })
      console.log(`Local receiver of webhooks at ${receiver.url}. Nothing leaves this machine.`)
      return receiver
    },
  },
  witness: {
    help: WITNESS_HELP,
    async start(args) {
      const options = { log: texts, name: text('witness.local'), folder: text('.wrangler/witness'), port: text('8790') }
      const { log: logs, name, folder, port } = parseArgs({ args, options }).values
      if (logs.length === 0) throw new Error('Say with --log which logs it watches. --help shows the form.')
      if (!/^[^\s+]+$/.test(name)) throw new Error('--name takes a name without white space and plus.')
      const witness = await startWitness({ port: portIn(port), folder, name, logs })
      console.log(`Witness at ${witness.url}\n${witness.vkey}`)
      return witness
    },
  },
}

const sayMail = (mail: KeptMail): void => console.log(announceMail(mail))
const sayMessage = (message: ReceivedMessage): void => console.log(announceMessage(message))

const text = (usual: string) => ({ type: 'string', default: usual }) as const
const texts = { type: 'string', multiple: true, default: [] as string[] } as const

function portIn(given: string): number {
  if (/^\d{1,5}$/.test(given) && Number(given) <= 65_535) return Number(given)
  throw new Error('--port takes a number from 0 to 65535.')
}

function readHost(given: string): [name: string, addresses: string[]] {
  const [name, addresses] = given.split('=')
  if (name === undefined || addresses === undefined) throw new Error('--host takes NAME=ADDRESS,ADDRESS.')
  return [name, addresses.split(',')]
}

try {
  const [name = '', ...args] = process.argv.slice(2)
  const command = COMMANDS[name]
  if (command === undefined) throw new Error(HELP)
  if (args.includes('--help') || args.includes('-h')) console.log(command.help)
  else {
    const server = await command.start(args)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close())
  }
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : 'failed')
  process.exitCode = 1
}
