// npm run webhook-receiver: the local receiver of webhooks by itself, for a Worker that is started otherwise than by npm start.
import { parseArgs } from 'node:util'
import { announceMessage } from './webhook-receiver/announce.ts'
import { startWebhookReceiver } from './webhook-receiver/server.ts'

const HELP = `npm run webhook-receiver [-- --port PORT] [--host NAME=ADDRESS,ADDRESS …]

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

try {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '8790' },
      host: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) console.log(HELP)
  else await run(values.port, values.host)
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : 'failed')
  process.exitCode = 1
}

async function run(port: string, named: readonly string[]): Promise<void> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error('--port takes a number from 0 to 65535.')
  const receiver = await startWebhookReceiver({
    port: Number(port),
    hosts: Object.fromEntries(named.map(readHost)),
    onMessage: (message) => console.log(announceMessage(message)),
  })
  console.log(`Local receiver of webhooks at ${receiver.url}. Nothing leaves this machine.`)
  const stop = (): void => void receiver.close()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}

function readHost(text: string): [name: string, addresses: string[]] {
  const [name, addresses] = text.split('=')
  if (name === undefined || addresses === undefined) throw new Error('--host takes NAME=ADDRESS,ADDRESS.')
  return [name, addresses.split(',')]
}
