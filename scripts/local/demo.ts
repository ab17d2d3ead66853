// The organisation and the keys that a local start hands to the person who started it. A key's secret is shown only
// once, so this machine keeps it beside its local state.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { OrganisationSchema } from '../../src/accounts/organisation.schema.ts'
import type { KeyPrefix } from '../../src/keys/key-format.ts'
import { CreatedKeySchema } from '../../src/keys/key.schema.ts'
import { callOperator, type Target } from '../operator/client.ts'

const DemoKeysSchema = z.object({ organisationId: z.string(), sandboxKey: z.string(), liveKey: z.string() })

export type DemoKeys = z.infer<typeof DemoKeysSchema>

/** The keys of an earlier start if they still work, else new ones. */
export async function ensureDemoKeys(target: Target, state: string): Promise<DemoKeys> {
  const file = join(state, 'demo-keys.json')
  const kept = readKept(file)
  if (kept !== null && (await works(target.url, kept.sandboxKey))) return kept
  const { id: organisationId } = await callOperator(target, OrganisationSchema, 'POST', '/organisations', {
    name: 'Local demonstration',
  })
  const keysPath = `/organisations/${organisationId}/keys`
  const issue = async (prefix: KeyPrefix, name: string) =>
    (await callOperator(target, CreatedKeySchema, 'POST', keysPath, { prefix, name })).key
  const sandboxKey = await issue('vk_test_', 'Local sandbox key')
  const keys = { organisationId, sandboxKey, liveKey: await issue('vk_live_', 'Local live key') }
  mkdirSync(state, { recursive: true })
  writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  return keys
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
