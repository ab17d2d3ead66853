// npm run secrets: makes the secrets and signing keys that a deployment lacks, and replaces the operator's token. Never prints a
// secret.
import { unstable_readConfig } from 'wrangler'
import * as z from 'zod'
import {
  ATTESTATION_KEY_SETTINGS,
  LOG_KEY_SETTINGS,
  readConfiguredKeys,
} from '../src/evidence/records/configured-keys.ts'
import { signingKeyAt } from '../src/evidence/records/key-history.ts'
import { ConfigError } from '../src/platform/config.ts'
import { addKey, describeKey, openKeyStorage, type KeyStorage } from './attestation-key/key-storage.ts'
import { Refusal, runCommand, TERMINAL, UsageError, type Given, type Output } from './command-line.ts'
import { drawToken, makeMissing, readDevVars, type Settings } from './local/dev-vars.ts'
import { findNeededSecrets } from './needed-secrets.ts'
import { putSecrets } from './secrets/put-secrets.ts'
import { refuseUnsafeFile, writeSecrets } from './secrets/secrets-file.ts'

const HELP = `Usage: npm run secrets -- --env production|staging [options]

Makes the secrets and signing keys that a deployment lacks: KEY_PEPPERS, OPERATOR_TOKEN, and the
keys that sign records and the public log. Secrets and seeds go into FILE, public keys into
wrangler.toml. Changes nothing that is there, and prints no secret.

  --env ENV            production or staging
  --file FILE          the file of secrets (default secrets.ENV.env). Only you can read it, and git
                       ignores it. Keep a copy offline: without KEY_PEPPERS all API keys are lost
  --config FILE        the file of settings (default wrangler.toml)
  --put                also puts all of FILE into the account. Not before the first deployment:
                       wrangler would make an empty Worker. npm run deploy -- --secrets FILE
                       carries them then
  --new-operator-token
                       OPERATOR_TOKEN becomes NEW,OLD. The service accepts both
  --end-old-operator-token
                       OPERATOR_TOKEN becomes NEW

If FILE has no OPERATOR_TOKEN to replace, the variable of that name in the shell has it.

Examples:
  npm run secrets -- --env production
  npm run secrets -- --env production --new-operator-token --put

Exit codes: 0 done or nothing to do, 1 refused or not put, 2 wrong command line.`

const OPTIONS = {
  env: { type: 'string' },
  file: { type: 'string' },
  config: { type: 'string', default: 'wrangler.toml' },
  put: { type: 'boolean', default: false },
  'new-operator-token': { type: 'boolean', default: false },
  'end-old-operator-token': { type: 'boolean', default: false },
} as const

/** Where secrets and settings are. */
type Files = { environment: string; file: string; config: string }

export const runSecrets = async (args: readonly string[], output: Output = TERMINAL): Promise<number> =>
  runCommand(args, { help: HELP, options: OPTIONS, run: async (given) => run(given, output) }, output)

async function run({ values }: Given<typeof OPTIONS>, { print }: Output): Promise<void> {
  const { env: environment, config, put } = values
  const { 'new-operator-token': isNew, 'end-old-operator-token': isEnd } = values
  if (environment !== 'production' && environment !== 'staging')
    throw new UsageError('Add --env production or --env staging.')
  if (isNew && isEnd) throw new UsageError('End the old token after its scripts have the new one, not at once.')
  const files = { environment, config, file: values.file ?? `secrets.${environment}.env` }
  refuseUnsafeFile(files.file)
  print(isNew ? addOperatorToken(files) : isEnd ? endOldToken(files) : makeAll(files))
  if (put) await putSecrets(environment, config, readDevVars(files.file))
  if (put) print(`The account has all of ${files.file} now.`)
  print(nextSteps(files, values))
}

function nextSteps({ environment, file }: Files, values: Given<typeof OPTIONS>['values']): string {
  const { put, 'new-operator-token': isNew, 'end-old-operator-token': isEnd } = values
  const to = `--env ${environment} --secrets ${file}`
  if (!isNew && !isEnd) return `Next: npm run rehearse -- ${to}`
  const deploy = put ? [] : [`npm run deploy -- ${to}`]
  if (isEnd) return put ? 'Nothing is left to do.' : `Next: ${deploy.join('')}`
  return [
    'Next, in this order:',
    ...deploy,
    'give the new token to all that have the old one, until the log has no old_operator_token',
    `npm run secrets -- --env ${environment} --file ${file} --end-old-operator-token`,
  ].join('\n  ')
}

/** Returns the text to print. */
function makeAll(files: Files): string {
  const { environment, file, config } = files
  const there = readDevVars(file)
  const places = openPlaces(files, there)
  const needed = judge(files, there)
  writeSecrets(file, environment, makeMissing(there))
  const now = Date.now()
  const keys = places
    .filter(({ history }) => signingKeyAt(history, now) === null)
    .map((place) => describeKey(place, addKey(place, now, there).key))
  const names = Object.keys(readDevVars(file)).filter((name) => !(name in there))
  return [
    ...(names.length === 0 ? [] : [`New in ${file}: ${names.join(', ')}. Keep a copy of the file offline.`]),
    ...(keys.length === 0 ? [] : [`New in ${config}:`, ...keys]),
    ...(names.length + keys.length > 0 ? [] : ['No secret and no key was missing that this command makes.']),
    ...(needed.length === 0 ? [] : [`Left for you to add to ${file}:`]),
    ...needed.map(({ name, why }) => `  ${name}  (${why})`),
  ].join('\n')
}

/** Opens both kinds of keys. Throws Refusal if there are keys already and FILE lacks what their deployment has. */
function openPlaces({ environment, file, config }: Files, secrets: Settings): KeyStorage[] {
  const opened = [ATTESTATION_KEY_SETTINGS, LOG_KEY_SETTINGS].map((names) =>
    openKeyStorage({ environment, file: config, secrets: file }, names),
  )
  const places = opened.map((one) => {
    if (!one.ok) throw new Refusal(one.wrong)
    return one.place
  })
  const withKeys = places.filter(({ history }) => history.length > 0)
  const lacking = withKeys.flatMap(
    ({ names, history }) => readConfiguredKeys({ ...secrets, [names.history]: JSON.stringify(history) }, names).wrong,
  )
  // The pepper is written before the first key, so the deployment has one. Another would revoke all API keys.
  if (withKeys.length > 0 && !('KEY_PEPPERS' in secrets)) lacking.unshift('KEY_PEPPERS')
  if (lacking.length === 0) return places
  throw new Refusal(`${config} has keys, but ${file} has nothing that fits for ${lacking.join(', ')}.
Nothing was made, because the account may have these. Add their lines from your copy of the file.
If you have no copy of a seed, create another key and retire the old one once the new one signs
(--log for the public log's): npm run attestation-key -- create --env ${environment} --secrets ${file}`)
}

/** Returns what the settings need of a person. Throws Refusal if the service would not start with them. */
function judge({ environment, file, config }: Files, secrets: Settings) {
  try {
    const read: unknown = unstable_readConfig({ config, env: environment }, { hideWarnings: true })
    return findNeededSecrets({ ...VarsSchema.parse(read).vars, ...secrets })
  } catch (thrown) {
    const words = thrown instanceof ConfigError ? thrown.message : `${config} cannot be read.`
    throw new Refusal(`${words} Nothing was changed. Correct ${config} or ${file} first.`, { cause: thrown })
  }
}

const VarsSchema = z.object({ vars: z.record(z.string(), z.unknown()) })

function addOperatorToken(files: Files): string {
  const present = presentTokens(files)
  if (present.includes(','))
    throw new Refusal(
      'OPERATOR_TOKEN is NEW,OLD already. Deploy it, or put it with --put alone, and end the old one after that.',
    )
  writeToken(files, `${drawToken()},${present}`)
  return `OPERATOR_TOKEN in ${files.file} is now NEW,OLD. The service will accept both.`
}

function endOldToken(files: Files): string {
  const [first = '', ...old] = presentTokens(files).split(',')
  if (old.length === 0) return 'OPERATOR_TOKEN has one token. Nothing was changed.'
  writeToken(files, first)
  return `OPERATOR_TOKEN in ${files.file} has only its first token now.`
}

function presentTokens({ file }: Files): string {
  const present = readDevVars(file)['OPERATOR_TOKEN'] ?? process.env['OPERATOR_TOKEN']
  if (present !== undefined) return present
  throw new Refusal(`${file} has no OPERATOR_TOKEN. Set the variable OPERATOR_TOKEN to the present one.`)
}

function writeToken(files: Files, tokens: string): void {
  judge(files, { ...readDevVars(files.file), OPERATOR_TOKEN: tokens })
  writeSecrets(files.file, files.environment, { OPERATOR_TOKEN: tokens })
}

if (process.argv[1] === import.meta.filename) process.exitCode = await runSecrets(process.argv.slice(2))
