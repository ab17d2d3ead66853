// Creates the organisations, keys and people of npm start. The service shows secrets only once, so this file stores them in the
// folder of the local storage.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { ChangedOrganisationSchema, OrganisationSchema } from '../../src/accounts/organisation.schema.ts'
import type { KeyPrefix } from '../../src/keys/key-format.ts'
import { CreatedKeySchema } from '../../src/keys/key.schema.ts'
import { SandboxKeySchema } from '../../src/referral/sandbox-key.schema.ts'
import { TIERS, type Tier } from '../../src/policies/tier.policy.ts'
import type { Mailbox } from './servers/mailbox.ts'
import { callOperator, type OperatorTarget } from '../operator/operator-client.ts'
import { newCredentials, signUp } from './sign-up-people.ts'

const TenantSchema = z.object({ key: z.string(), managementKey: z.string(), email: z.string(), password: z.string() })

const LocalOrganisationsSchema = z.object({
  organisationId: z.string(),
  sandboxKey: z.string(),
  liveKey: z.string(),
  tenants: z.record(z.enum(TIERS), TenantSchema),
})

export type LocalOrganisations = z.infer<typeof LocalOrganisationsSchema>
type Tenant = z.infer<typeof TenantSchema>

/** The Worker to fill. `origin`: the origin that a changing request must state. */
export type DemoTarget = OperatorTarget & { origin: string; mailbox: Pick<Mailbox, 'waitFor'> }

/** The tier of the organisation that the documents' variables are of: the one whose features include those of all others. */
export const DOCUMENTS_TIER = 'healthcare' satisfies Tier

const fileIn = (state: string): string => join(state, 'demo-keys.json')

/** The keys that were refused, which count again once their pepper is back. */
const refusedFileIn = (state: string): string => join(state, 'demo-keys.refused.json')

/**
 * Returns the organisations of an earlier start if their keys still work, or creates new ones. Shares the sandbox key with visitors.
 * @param onCreate called before they are created; `areRefused`: the service refuses those of an earlier start
 */
export async function ensureLocalOrganisations(
  target: DemoTarget,
  state: string,
  onCreate: (areRefused: boolean) => void,
): Promise<LocalOrganisations> {
  const kept = readLocalOrganisations(state)
  const working = await firstWorking(target.url, [kept, readOrganisations(refusedFileIn(state))])
  if (working === null) onCreate(kept !== null)
  const demo = working ?? (await makeLocalOrganisations(target))
  await shareSandboxKey(target, demo.sandboxKey)
  if (demo === kept) return demo
  mkdirSync(state, { recursive: true })
  if (kept !== null) writeOrganisations(refusedFileIn(state), kept)
  writeOrganisations(fileIn(state), demo)
  return demo
}

async function firstWorking(
  url: string,
  all: readonly (LocalOrganisations | null)[],
): Promise<LocalOrganisations | null> {
  for (const one of all) if (one !== null && (await stillWork(url, one))) return one
  return null
}

const writeOrganisations = (file: string, demo: LocalOrganisations): void =>
  writeFileSync(file, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })

/** Every share is an entry of a log, so nothing is done if the key is shared already. */
async function shareSandboxKey(target: DemoTarget, key: string): Promise<void> {
  const shared = SandboxKeySchema().parse(await (await fetch(`${target.url}/v1/sandbox-key`)).json())
  if (shared.key !== key) await callOperator(target, SandboxKeySchema(), 'PUT', '/sandbox-key', { key })
}

async function makeLocalOrganisations(target: DemoTarget): Promise<LocalOrganisations> {
  const [referrals, ...tenants] = await Promise.all([
    makeReferralKeys(target),
    ...TIERS.map(async (tier): Promise<[Tier, Tenant]> => [tier, await makeTenant(target, tier)]),
  ])
  return LocalOrganisationsSchema.parse({ ...referrals, tenants: Object.fromEntries(tenants) })
}

async function makeReferralKeys(target: OperatorTarget): Promise<Omit<LocalOrganisations, 'tenants'>> {
  const organisation = { name: 'Local demonstration' }
  const { id } = await callOperator(target, OrganisationSchema(), 'POST', '/organisations', organisation)
  const [sandboxKey, liveKey] = await Promise.all([issue(target, id, 'vk_test_'), issue(target, id, 'vk_live_')])
  return { organisationId: id, sandboxKey, liveKey }
}

/** Signs a person up with an organisation. Sets its tier as the operator, as in a deployment. */
async function makeTenant(target: DemoTarget, tier: Tier): Promise<Tenant> {
  const credentials = newCredentials(`${tier}-owner`)
  const { organisationId } = await signUp(target, target.mailbox, credentials, `Local ${tier} organisation`)
  await callOperator(target, ChangedOrganisationSchema(), 'PATCH', `/organisations/${organisationId}`, { tier })
  const [key, managementKey] = await Promise.all([
    issue(target, organisationId, 'aqta_'),
    issue(target, organisationId, 'aqta_', { name: 'Local management key', scopes: ['chat', 'manage'] }),
  ])
  return { ...credentials, key, managementKey }
}

async function issue(
  target: OperatorTarget,
  organisationId: string,
  prefix: KeyPrefix,
  more: { name?: string; scopes?: readonly string[] } = {},
): Promise<string> {
  const wanted = { prefix, name: `Local ${prefix} key`, ...more }
  return (await callOperator(target, CreatedKeySchema(), 'POST', `/organisations/${organisationId}/keys`, wanted)).key
}

/** Returns the organisations that a start with this state has created, or null. */
export const readLocalOrganisations = (state: string): LocalOrganisations | null => readOrganisations(fileIn(state))

function readOrganisations(file: string): LocalOrganisations | null {
  try {
    return LocalOrganisationsSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

/** True if the service accepts the keys that npm start prints. A key with a used-up limit still works. */
async function stillWork(url: string, { sandboxKey, tenants }: LocalOrganisations): Promise<boolean> {
  const statuses = await Promise.all([
    statusOf(`${url}/v1/datasets`, sandboxKey),
    statusOf(`${url}/v1/models`, tenants[DOCUMENTS_TIER].key),
  ])
  return !statuses.some((status) => status === 401 || status === 403)
}

async function statusOf(url: string, key: string): Promise<number> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  await answer.body?.cancel()
  return answer.status
}
