// npm run mailbox: the local mailbox by itself, for a Worker that is started otherwise than by npm start.
import { parseArgs } from 'node:util'
import { announce } from './mailbox/announce.ts'
import { startMailbox } from './mailbox/server.ts'

const HELP = `npm run mailbox [-- --port PORT] [--key KEY]

A mailbox on this machine: it takes mail as Resend does (POST /emails) and shows it instead of sending it. It listens on
127.0.0.1:8789 (or PORT) and takes mail from whoever brings KEY (mailbox-local). npm start runs one by itself.

  GET /         the mails as a page, newest first
  GET /mails    the same as JSON; ?to=ADDRESS for those to one address

Settings of a Worker that is to use it: MAILER=http MAILER_URL=http://127.0.0.1:8789 MAILER_KEY=mailbox-local
MAIL_FROM=countersign@localhost.example`

try {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8789' },
      key: { type: 'string', default: 'mailbox-local' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) console.log(HELP)
  else await run(values.port, values.key)
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : 'failed')
  process.exitCode = 1
}

async function run(port: string, key: string): Promise<void> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error('--port takes a number from 0 to 65535.')
  const mailbox = await startMailbox({ port: Number(port), key, onMail: (mail) => console.log(announce(mail)) })
  console.log(`Local mailbox at ${mailbox.url}. Nothing leaves this machine.`)
  const stop = (): void => void mailbox.close()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}
