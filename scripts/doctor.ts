// npm run doctor: tells whether a deployment is well: its configuration, its readiness, and its address from outside.
import { isReady } from '../src/readiness.schema.ts'
import { runCommand, TERMINAL, UsageError, type Output } from './command-line.ts'
import { ADDRESS_CHECKS } from './doctor/address.checks.ts'
import { askAddress } from './doctor/ask-address.ts'
import { askReadiness } from './doctor/ask-readiness.ts'
import { CONFIGURATION_CHECKS } from './doctor/configuration.checks.ts'
import { askAll, describeChecks, type DoctorCheck } from './doctor/doctor-check.ts'
import { listSecrets, readConfiguration, readSecretsFile, type KnownSecrets } from './doctor/read-configuration.ts'

const HELP = `Usage: npm run doctor -- [--env production|staging] [options]

Tells whether a deployment is well, and what to do where it is not: the configuration in
wrangler.toml and its secrets, then /readyz with the operator's token, then the address from
outside: certificate, TLS, headers and the contract's quick checks.

  --env ENV        environment of wrangler.toml (default production)
  --secrets FILE   the secrets: the file of npm run secrets, or what wrangler secret list
                   printed (default: the names that the account has)
  --offline        only the configuration; no network
  --url URL        address to ask (default PUBLIC_ORIGIN)
  --key KEY        a sandbox key, vk_test_…, for the contract's checks
  --json           prints the checks as JSON

The operator's token is the first of FILE, or the variable OPERATOR_TOKEN if the variable
COUNTERSIGN_URL names the same address.

Examples:
  npm run doctor -- --env production --secrets secrets.production.env
  npm run doctor -- --env staging --offline

Exit codes: 0 well, 1 not, 2 wrong command line. What could not be found out is not well.`

const OPTIONS = {
  env: { type: 'string', default: 'production' },
  secrets: { type: 'string' },
  offline: { type: 'boolean', default: false },
  url: { type: 'string' },
  key: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const

export const runDoctor = (args: readonly string[], output: Output = TERMINAL): Promise<number> =>
  runCommand(
    args,
    {
      help: HELP,
      options: OPTIONS,
      async run({ values: { env, secrets, offline, json, ...values } }) {
        const facts = readConfiguration(env, await findSecrets(env, secrets, offline))
        const checks = askAll('configuration', CONFIGURATION_CHECKS, facts)
        if (!offline) {
          const address = values.url ?? String(facts.config.vars['PUBLIC_ORIGIN'])
          const token = (facts.secrets?.['OPERATOR_TOKEN'] ?? tokenOfShell(address))?.split(',', 1)[0]
          checks.push(...(await askOnline(address, token, values.key)))
        }
        output.print(json ? JSON.stringify({ ok: isReady(checks), checks }, null, 2) : describeChecks(checks))
        return isReady(checks) ? 0 : 1
      },
    },
    output,
  )

/** SECURITY: the shell's token is of the deployment that COUNTERSIGN_URL names, and sent to no other. */
function tokenOfShell(address: string): string | undefined {
  const { COUNTERSIGN_URL: url = '', OPERATOR_TOKEN: token } = process.env
  return URL.parse(url)?.origin === URL.parse(address)?.origin ? token : undefined
}

/** Returns the secrets of a file, or the names that the account has. Throws UsageError. */
async function findSecrets(env: string, file: string | undefined, offline: boolean): Promise<KnownSecrets | null> {
  if (file !== undefined) return readSecretsFile(file)
  return offline ? null : listSecrets(env)
}

/** Throws UsageError if the address is none. */
async function askOnline(address: string, token: string | undefined, key: string | undefined): Promise<DoctorCheck[]> {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new UsageError(`${address} is not an http or https address. Give one with --url.`)
  const [readiness, seen] = await Promise.all([askReadiness(address, token), askAddress(address, key)])
  return [...readiness, ...askAll('address', ADDRESS_CHECKS, seen)]
}

if (process.argv[1] === import.meta.filename) process.exitCode = await runDoctor(process.argv.slice(2))
