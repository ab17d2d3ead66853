// npm run witness: a witness of transparency logs on this machine.
import { parseArgs } from 'node:util'
import { startWitness } from './witness/server.ts'

const HELP = `npm run witness -- --log VKEY [--log VKEY …] [--name NAME] [--folder FOLDER] [--port PORT]

Watches transparency logs as C2SP's tlog-witness says: cosigns a log's checkpoint only if it continues the one cosigned before.
Listens on 127.0.0.1:8790 (or PORT), and prints its own vkey, for the setting WITNESSES of a log and for countersign-verify.

  --log VKEY       a log that it watches, by the log's verifier key
  --name NAME      the name of its key (witness.local)
  --folder FOLDER  where its key and what it has cosigned are kept (.wrangler/witness). A folder without a key becomes a new
                   witness; one whose key has lost what it cosigned is refused, and one that another witness runs on

A witness on the machine of its log watches nothing: this one is for development and tests. In earnest it runs elsewhere, by
somebody else's hand, behind something that speaks TLS.

Exit code: 0 stopped with Ctrl-C or SIGTERM, 1 not started.`

try {
  const { values } = parseArgs({
    options: {
      log: { type: 'string', multiple: true, default: [] },
      name: { type: 'string', default: 'witness.local' },
      folder: { type: 'string', default: '.wrangler/witness' },
      port: { type: 'string', default: '8790' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) console.log(HELP)
  else await run(values)
} catch (thrown) {
  console.error(thrown instanceof Error ? thrown.message : 'failed')
  process.exitCode = 1
}

async function run({ log: logs, name, folder, port }: { log: string[]; name: string; folder: string; port: string }) {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Error('--port takes a number from 0 to 65535.')
  if (logs.length === 0) throw new Error('Say with --log which logs it watches. --help shows the form.')
  if (!/^[^\s+]+$/.test(name)) throw new Error('--name takes a name without white space and plus.')
  const witness = await startWitness({ port: Number(port), folder, name, logs })
  console.log(`Witness at ${witness.url}\n${witness.vkey}`)
  const stop = (): void => void witness.close()
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
}
