// npm run attestation-key: creates, activates, retires, revokes and lists the keys that sign attestations, or with --log those
// that sign the public log's checkpoints. The public
// history is a line of wrangler.toml; a seed goes into a file that only its owner can read, on its way to a secret. On this
// machine both are in .dev.vars.
import { runAttestationKey } from './attestation-key/run-attestation-key.ts'

process.exitCode = runAttestationKey(process.argv.slice(2), {
  print: (text) => console.log(text),
  report: (text) => console.error(text),
})
