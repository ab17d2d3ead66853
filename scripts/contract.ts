// `npm run contract -- BASE_URL --key KEY`: checks a deployment against the referral contract from outside, over HTTP.
// The work is in scripts/contract/; docs/contract-checks.md says what is checked.
import { setTimeout as wait } from 'node:timers/promises'
import { runContract } from './contract/run-contract.ts'

process.exitCode = await runContract(process.argv.slice(2), {
  print: (line) => console.log(line),
  report: (line) => console.error(line),
  env: process.env,
  wait: (ms) => wait(ms),
})
