// `npm run contract -- BASE_URL --key KEY`: checks a deployment against the referral contract from outside, over HTTP.
// The work is in scripts/contract/; docs/check-deployment.md says what is checked.
import { setTimeout as wait } from 'node:timers/promises'
import { TERMINAL } from './command-line.ts'
import { runContract } from './contract/run-contract.ts'

process.exitCode = await runContract(process.argv.slice(2), {
  ...TERMINAL,
  env: process.env,
  wait: (ms) => wait(ms),
})
