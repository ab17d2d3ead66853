// npm run deploy: checks the configuration, makes the tables of D1, and uploads code, settings and secrets together, with wrangler.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isReady } from '../src/readiness.schema.ts'
import { runCommand } from './command-line.ts'
import { CONFIGURATION_CHECKS } from './doctor/configuration.checks.ts'
import { askAll, describeChecks } from './doctor/doctor-check.ts'
import { listSecrets, readConfiguration, readSecretsFile } from './doctor/read-configuration.ts'
import { WRANGLER, wranglerEnvironment } from './wrangler-settings.ts'

const HELP = `Usage: npm run deploy -- --env production|staging [options]

Deploys with wrangler, once the configuration is well: makes the tables of D1 that are missing,
then uploads code, settings and secrets together. Stops at what is missing, and names it.

  --env ENV        environment of wrangler.toml (default production)
  --secrets FILE   the secrets, as npm run secrets writes them. Without it, the account keeps those
                   that it has
  --dry-run        checks and builds, and uploads nothing

Examples:
  npm run deploy -- --env production --secrets secrets.production.env
  npm run deploy -- --env production

Exit codes: 0 deployed, 1 not well or not deployed, 2 wrong command line.`

process.exitCode = await runCommand(process.argv.slice(2), {
  help: HELP,
  options: {
    env: { type: 'string', default: 'production' },
    secrets: { type: 'string' },
    'dry-run': { type: 'boolean', default: false },
  },
  async run({ values: { env, secrets, 'dry-run': isDry } }) {
    const known = secrets === undefined ? await listSecrets(env) : readSecretsFile(secrets)
    const checks = askAll('configuration', CONFIGURATION_CHECKS, readConfiguration(env, known))
    console.log(describeChecks(checks))
    if (!isReady(checks)) {
      console.error('Nothing was deployed. Mend what fails, then run it again.')
      return 1
    }
    if (isDry) return wrangler(['deploy', '--dry-run', '--env', env])
    const tables = await wrangler(['d1', 'migrations', 'apply', 'DB', '--env', env, '--remote'])
    if (tables !== 0) return 1
    const upload = secrets === undefined ? [] : ['--secrets-file', secrets]
    if ((await wrangler(['deploy', '--env', env, ...upload])) !== 0) return 1
    const option = secrets === undefined ? '' : ` --secrets ${secrets}`
    console.log(`\nDeployed. Next: npm run doctor -- --env ${env}${option}`)
    return 0
  },
})

/** Runs wrangler with its output shown. Returns 0 or 1. It asks nobody: without a terminal it takes its own defaults. */
async function wrangler(args: readonly string[]): Promise<0 | 1> {
  const env = await wranglerEnvironment()
  const child = spawn(process.execPath, [WRANGLER, ...args], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  await once(child, 'exit')
  return child.exitCode === 0 ? 0 : 1
}
