// Starts what public test suites need: the model emulator behind every endpoint, the service, and a key for evaluation as docs/clients.md
// has it, because suites repeat requests. Only an owner may make one, so an owner signs up.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ChangedOrganisationSchema } from '../../src/accounts/organisation.schema.ts'
import { CreatedKeySchema } from '../../src/keys/key.schema.ts'
import { startEmulator } from '../emulator/server.ts'
import { emulatedProviders } from '../local/emulated-providers.ts'
import { mailSettings } from '../local/local-servers.ts'
import { startMailbox, type Mailbox } from '../local/servers/mailbox.ts'
import { newCredentials, signIn, signUp } from '../local/sign-up-people.ts'
import { callOperator, type OperatorTarget } from '../operator/operator-client.ts'
import { startService } from '../workerd/start-service.ts'

export type SuiteSetup = { readonly url: string; readonly key: string; readonly close: () => Promise<void> }

export async function startSuiteSetup(folder: string): Promise<SuiteSetup> {
  const mailKey = randomBytes(24).toString('base64url')
  const [emulator, mailbox] = await Promise.all([startEmulator(), startMailbox({ key: mailKey })])
  const vars = { ...emulatedProviders(emulator.url), ...mailSettings(mailbox.url, mailKey) }
  const { server, target } = await startService(join(folder, 'service'), { vars })
  return {
    url: `${target.url}/v1`,
    key: await makeEvaluationKey(target, mailbox),
    close: async () => {
      await server.stop()
      await Promise.all([emulator.close(), mailbox.close()])
    },
  }
}

const HOUR_MS = 3_600_000

async function makeEvaluationKey(target: OperatorTarget, mailbox: Mailbox): Promise<string> {
  const service = { url: target.url, origin: target.url }
  const credentials = newCredentials('suites')
  const { organisationId } = await signUp(service, mailbox, credentials, 'Suites')
  const limits = { tier: 'enterprise', requests_per_minute: 30_000, requests_per_month: 1_000_000_000 }
  await callOperator(target, ChangedOrganisationSchema(), 'PATCH', `/organisations/${organisationId}`, limits)
  const expiresAt = new Date(Date.now() + HOUR_MS).toISOString()
  const made = await fetch(`${target.url}/api/keys`, {
    method: 'POST',
    headers: {
      cookie: await signIn(service, credentials),
      origin: service.origin,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ name: 'Suites', evaluation: true, expires_at: expiresAt }),
  })
  if (!made.ok) throw new Error(`The key was refused: ${await made.text()}`)
  return CreatedKeySchema().parse(await made.json()).key
}
