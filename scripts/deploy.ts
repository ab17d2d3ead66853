// npm run deploy: checks the configuration, makes the tables of D1, and uploads code, settings and secrets together, with wrangler.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { isReady } from '../src/readiness.schema.ts'
import { runCommand, TERMINAL, UsageError, type Output } from './command-line.ts'
import { CONFIGURATION_CHECKS } from './doctor/configuration.checks.ts'
import { askAll, describeChecks } from './doctor/doctor-check.ts'
import {
  listSecrets,
  readConfiguration,
  readSecretsFile,
  type ConfigurationFacts,
} from './doctor/read-configuration.ts'
import { WRANGLER, WRANGLER_TOML, wranglerEnvironment } from './wrangler-settings.ts'

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

/** Otherwise wrangler makes a storage that has no id, and not in the European Union. */
const MAKES_NO_STORAGE = '--experimental-provision=false'

type Deployment = { env: string; secrets: string | undefined; isDry: boolean }

/** Runs wrangler with its output shown. Returns its exit code. */
type RunWrangler = (args: readonly string[]) => Promise<number>

/** Returns the exit code. Nothing is asked of the account before the configuration is well. */
export async function deploy(
  { env, secrets, isDry }: Deployment,
  facts: ConfigurationFacts,
  wrangler: RunWrangler,
  { print, report }: Output = TERMINAL,
): Promise<0 | 1> {
  const checks = askAll('configuration', CONFIGURATION_CHECKS, facts)
  print(describeChecks(checks))
  if (!isReady(checks)) {
    report('Nothing was deployed. Mend what does not pass, then run it again.')
    return 1
  }
  const upload = [
    'deploy',
    '--env',
    env,
    MAKES_NO_STORAGE,
    ...(secrets === undefined ? [] : ['--secrets-file', secrets]),
  ]
  const steps = isDry
    ? [['deploy', '--dry-run', '--env', env]]
    : [['d1', 'migrations', 'apply', 'DB', '--env', env, '--remote'], upload]
  for (const step of steps) {
    if ((await wrangler(step)) === 0) continue
    report(`A step of wrangler failed: ${step[0]}. Mend what it says above, then run this again.`)
    return 1
  }
  const option = secrets === undefined ? '' : ` --secrets ${secrets}`
  print(isDry ? 'Nothing was uploaded.' : `Deployed. Next: npm run doctor -- --env ${env}${option}`)
  return 0
}

/**
 * SECURITY: with a terminal, wrangler asks before it takes the address of another Worker. `hidden`: the names of secrets that have a
 * value in the file, which wrangler would take from the shell in its place.
 */
const runWrangler =
  (hidden: readonly string[]): RunWrangler =>
  async (args) => {
    const env = await wranglerEnvironment()
    for (const name of hidden) delete env[name]
    const child = spawn(process.execPath, [WRANGLER, ...args, '--config', WRANGLER_TOML], { env, stdio: 'inherit' })
    await once(child, 'exit')
    return child.exitCode ?? 1
  }

if (process.argv[1] === import.meta.filename)
  process.exitCode = await runCommand(process.argv.slice(2), {
    help: HELP,
    options: {
      env: { type: 'string', default: 'production' },
      secrets: { type: 'string' },
      'dry-run': { type: 'boolean', default: false },
    },
    async run({ values: { env, secrets, 'dry-run': isDry } }) {
      const known = secrets === undefined ? await listSecrets(env) : readSecretsFile(secrets)
      if (secrets !== undefined && Object.values(known ?? {}).includes(null))
        throw new UsageError(`${secrets} has only names. Leave --secrets out, or give the file of npm run secrets.`)
      return deploy({ env, secrets, isDry }, readConfiguration(env, known), runWrangler(Object.keys(known ?? {})))
    },
  })
