// The organisations and keys that a local start hands to the person who started it: one for referrals, and one for the
// gateway on each tier. A key's secret is shown only once, so this machine keeps it beside its local state.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { OrganisationSchema } from '../../src/accounts/organisation.schema.ts'
import type { KeyPrefix } from '../../src/keys/key-format.ts'
import { CreatedKeySchema } from '../../src/keys/key.schema.ts'
import { PROVIDERS } from '../../src/policies/organisation-settings.ts'
import { TIERS, type Tier } from '../../src/policies/tier.policy.ts'
import { callOperator, type Target } from '../operator/client.ts'

const DemoKeysSchema = z.object({
  organisationId: z.string(),
  sandboxKey: z.string(),
  liveKey: z.string(),
  gatewayKeys: z.record(z.enum(TIERS), z.string()),
})

export type DemoKeys = z.infer<typeof DemoKeysSchema>

/** The keys of an earlier start if they still work, else new ones. */
export async function ensureDemoKeys(target: Target, state: string): Promise<DemoKeys> {
  const file = join(state, 'demo-keys.json')
  const kept = readKept(file)
  if (kept !== null && (await works(target.url, kept.sandboxKey))) return kept
  const keys = await issueDemoKeys(target)
  mkdirSync(state, { recursive: true })
  writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  return keys
}

async function issueDemoKeys(target: Target): Promise<DemoKeys> {
  const organisationId = await found(target, { name: 'Local demonstration' })
  const gateway = await Promise.all(
    TIERS.map(async (tier): Promise<[Tier, string]> => {
      const id = await found(target, { name: `Local ${tier} organisation`, tier, enabled_providers: PROVIDERS })
      return [tier, await issue(target, id, 'aqta_')]
    }),
  )
  return {
    organisationId,
    sandboxKey: await issue(target, organisationId, 'vk_test_'),
    liveKey: await issue(target, organisationId, 'vk_live_'),
    gatewayKeys: DemoKeysSchema.shape.gatewayKeys.parse(Object.fromEntries(gateway)),
  }
}

async function found(target: Target, organisation: object): Promise<string> {
  return (await callOperator(target, OrganisationSchema, 'POST', '/organisations', organisation)).id
}

async function issue(target: Target, organisationId: string, prefix: KeyPrefix): Promise<string> {
  const wanted = { prefix, name: `Local ${prefix} key` }
  return (await callOperator(target, CreatedKeySchema, 'POST', `/organisations/${organisationId}/keys`, wanted)).key
}

function readKept(file: string): DemoKeys | null {
  try {
    return DemoKeysSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

// A limit that is used up is no reason for a new key.
async function works(url: string, key: string): Promise<boolean> {
  const { status } = await fetch(`${url}/v1/datasets`, { headers: { authorization: `Bearer ${key}` } })
  return status !== 401
}
