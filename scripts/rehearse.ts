// npm run rehearse: runs a deployment's settings and secrets on this machine, with what its runtime lacks put in. Makes an
// organisation, its owner and a key, publishes figures, then asks for readiness and checks the contract.
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { CreatedInvitationSchema } from '../src/accounts/members/members.schema.ts'
import { CreatedKeySchema } from '../src/keys/key.schema.ts'
import { OrganisationSchema } from '../src/accounts/organisation.schema.ts'
import { buildPages } from './build-pages.ts'
import { runCommand, UsageError, wholeNumber } from './command-line.ts'
import { exitSignal, isPortFree, startDevServer } from './local/dev-server.ts'
import { readDevVars, type Settings } from './local/dev-vars.ts'
import { applyMigrations, copyPages } from './local/prepare-storage.ts'
import { acceptInvitation, newCredentials } from './local/sign-up-people.ts'
import { remoteDatasets } from './data-publish/remote-datasets.ts'
import { askContract } from './doctor/ask-contract.ts'
import { askReadiness } from './doctor/ask-readiness.ts'
import { CONFIGURATION_CHECKS } from './doctor/configuration.checks.ts'
import { askAll, describeChecks } from './doctor/doctor-check.ts'
import { readConfiguration, type ConfigurationFacts } from './doctor/read-configuration.ts'
import { isReady } from '../src/readiness.schema.ts'
import { callOperator, type OperatorTarget } from './operator/operator-client.ts'
import { SAMPLE_PATH, SAMPLE_PUBLISHED_ON } from './sample-dataset.ts'
import { withBindings } from './storage-bindings.ts'

const HELP = `Usage: npm run rehearse -- --secrets FILE [--env production|staging] [options]

Runs the settings of an environment and its secrets on this machine, before there is an account:
makes an organisation, its owner and a key, publishes the sample of waiting lists, then asks
/readyz and checks the contract. Names what is put in for what this machine lacks. Calls no
provider, and deletes the storage afterwards.

  --secrets FILE   the secrets, as npm run secrets writes them
  --env ENV        environment of wrangler.toml (default production)
  --port PORT      port of the service (default 8797)
  --stay           keeps running until Ctrl-C, to try more; calls to models reach the providers

Example:
  npm run rehearse -- --env production --secrets secrets.production.env

Exit codes: 0 well, 1 not, 2 wrong command line.`

const ENTRY = 'scripts/rehearse/worker/rehearsal-worker.ts'

/** What differs from the deployment, and what a rehearsal therefore does not show. */
const PUT_IN = [
  'jurisdictions: an object of the EU is another object by its name; where bytes are is not shown',
  'storage: local, and empty at the start; the ids in wrangler.toml are not used',
  'mail: none is sent (MAILER none, SIGNUP invited); the owner’s link is opened here',
  'witnesses: none is asked, and the public log has another name (WITNESSES, LOG_ORIGIN)',
  'providers: none is called by the rehearsal itself; their keys are there, which does not say that they are valid',
  'the address: this machine by http; TLS, WAF and the rate rule are not shown',
]

/** The contract would wait for the limit of a single key. */
const KEYS = 4

/** SECURITY: a witness that cosigned a rehearsal would refuse the real log, and have a fork of it that the real key signed. */
const withoutOthers = (origin: string): Settings => ({
  MAILER: 'none',
  SIGNUP: 'invited',
  WITNESSES: '[]',
  WITNESS_QUORUM: '0',
  LOG_ORIGIN: `rehearsal.${new URL(origin).host}/v1/public/transparency`,
})

type Rehearsal = { environment: string; file: string; port: number; stays: boolean }

process.exitCode = await runCommand(process.argv.slice(2), {
  help: HELP,
  options: {
    env: { type: 'string', default: 'production' },
    secrets: { type: 'string' },
    port: { type: 'string', default: '8797' },
    stay: { type: 'boolean', default: false },
  },
  async run({ values }) {
    const { env: environment, secrets: file, stay: stays } = values
    if (file === undefined) throw new UsageError('Add --secrets FILE. npm run secrets makes it.')
    if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true)
      throw new UsageError(`${file} is not a file. npm run secrets makes it.`)
    return rehearse({ environment, file, port: wholeNumber('port', values.port, 1, 65_535), stays })
  },
})
// A local runtime that failed to open would keep the process alive.
process.exit()

async function rehearse({ environment, file, port, stays }: Rehearsal): Promise<number> {
  const secrets = readDevVars(file)
  const facts = readConfiguration(environment, secrets)
  const origin = originOf(facts)
  if (!(await isPortFree(port))) throw new UsageError(`Port ${port} is in use. Choose another with --port.`)
  console.log(`Rehearses [env.${environment}] of wrangler.toml with the secrets of ${file}. Put in here:`)
  for (const each of PUT_IN) console.log(`  ${each}`)
  const state = mkdtempSync(join(tmpdir(), 'countersign-rehearsal-'))
  // A signal while the storage opens ends the process at once.
  process.once('exit', () => rmSync(state, { recursive: true, force: true }))
  const leave = exitSignal()
  try {
    await withBindings({ persistTo: state, environment }, ({ DB }) => applyMigrations(DB))
    await buildPages(() => console.log('building the pages …'), leave)
    const pages = copyPages(state)
    const settings = { ...secrets, ...withoutOthers(origin) }
    const options = { port, state, pages, devVars: file, settings, entrypoint: ENTRY, environment }
    const server = await startDevServer(Promise.resolve(options), leave, () => true)
    try {
      const token = (secrets['OPERATOR_TOKEN'] ?? '').split(',', 1).join('')
      const isWell = await walk({ url: server.url, token, origin })
      console.log('\nThe configuration, which counts before a deployment and not here:')
      console.log(describeChecks(askAll('configuration', CONFIGURATION_CHECKS, facts)))
      console.log(
        isWell ? '\nThe rehearsal went well.' : '\nThe rehearsal did not go well: see fail and unknown above.',
      )
      if (stays) {
        console.log(`\n${server.url} stays until Ctrl-C.`)
        server.showLogs()
        await server.ended
      }
      return isWell ? 0 : 1
    } finally {
      server.stop()
      await server.ended
    }
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}

/** Throws UsageError if there is none. What FILE has wins over wrangler.toml, as in the Worker. */
function originOf({ config, secrets, environment }: ConfigurationFacts): string {
  const address = String(secrets?.['PUBLIC_ORIGIN'] ?? config.vars['PUBLIC_ORIGIN'])
  if (URL.canParse(address)) return new URL(address).origin
  throw new UsageError(`PUBLIC_ORIGIN under [env.${environment}.vars] of wrangler.toml is no address. Correct it.`)
}

type Target = OperatorTarget & { origin: string }

/** What an operator does first, then what a doctor asks. Each step is told. Returns true if all is well. */
async function walk(target: Target): Promise<boolean> {
  const keys = await makeWhatIsFirst(target).catch((thrown: unknown) => {
    console.log(`  fail  ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    return null
  })
  const readiness = await askReadiness(target.url, target.token)
  console.log(`\n${describeChecks(readiness)}`)
  if (keys === null) return false
  const { checks, differing } = await askContract(target.url, { keys, isQuick: false, origin: target.origin })
  console.log(`\nContract: ${differing.length} of ${checks} checks differ`)
  for (const each of differing) console.log(`  fail    ${each}`)
  return isReady(readiness) && differing.length === 0
}

/** Returns sandbox keys. Throws with the service's sentence where it refuses. */
async function makeWhatIsFirst(target: Target): Promise<string[]> {
  const founded = { name: 'Rehearsal', tier: 'healthcare' }
  const { id } = await callOperator(target, OrganisationSchema(), 'POST', '/organisations', founded)
  console.log(`\nFirst steps\n  pass  an organisation, ${id}`)
  const owner = newCredentials('owner')
  const invited = { email: owner.email, role: 'owner' }
  const { url } = await callOperator(
    target,
    CreatedInvitationSchema(),
    'POST',
    `/organisations/${id}/invitations`,
    invited,
  )
  const link = { waitFor: () => Promise.resolve({ links: url === null ? [] : [url] }) }
  await acceptInvitation(target, link, owner, 'Owner of the rehearsal')
  console.log('  pass  its owner, by the invitation’s link')
  const wanted = { prefix: 'vk_test_', name: 'Rehearsal' }
  const makeKey = () => callOperator(target, CreatedKeySchema(), 'POST', `/organisations/${id}/keys`, wanted)
  const keys = await Promise.all(Array.from({ length: KEYS }, makeKey))
  console.log('  pass  sandbox keys')
  const sample = { fileName: basename(SAMPLE_PATH), publishedOn: SAMPLE_PUBLISHED_ON, bytes: readFileSync(SAMPLE_PATH) }
  await remoteDatasets(target).publish(sample)
  console.log('  pass  the sample of waiting lists, which is invented')
  const checkpoint = await fetch(`${target.url}/v1/public/transparency/checkpoint`)
  if (!checkpoint.ok) throw new Error(`the public log has no checkpoint: ${await checkpoint.text()}`)
  console.log('  pass  a checkpoint of the public log')
  return keys.map(({ key }) => key)
}
