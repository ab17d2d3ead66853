// The sandbox key that all visitors of the front page share. The operator sets it, and the page reads it.
import type { KVNamespace } from '@cloudflare/workers-types'
import { operatorOperations } from '../accounts/operator/operator-operations.ts'
import type { OperatorService } from '../accounts/operator/operator.service.ts'
import { parseKey } from '../keys/key-format.ts'
import { isActiveAt, type KeyRecord } from '../keys/key.schema.ts'
import { reachOrganisation } from '../organisation/organisation-client.ts'
import type { Pepper } from '../platform/config.ts'
import { AppError } from '../platform/errors.ts'
import { logUnexpected } from '../platform/log.ts'
import { publicOperations } from '../platform/operations.ts'
import type { Api } from '../platform/router.ts'
import type { Clock } from '../platform/time.ts'
import { SandboxKeySchema, SetSandboxKeySchema } from './sandbox-key.schema.ts'

const STORED_KEY = 'sandbox-key'

const CACHED_SECONDS = 60

type Dependencies = {
  kv: KVNamespace
  operator: Pick<OperatorService, 'showKey' | 'recordSharedKey'>
  operatorTokens: readonly string[]
  peppers: readonly Pepper[]
  clock: Clock
}

export function sandboxKeyRoutes({ kv, operator, operatorTokens, peppers, clock }: Dependencies): Api {
  const { api, openapi } = publicOperations()
  openapi(
    {
      route: 'GET /v1/sandbox-key',
      operationId: 'showSandboxKey',
      tags: ['Referral'],
      security: [],
      summary: 'Get the sandbox key',
      description:
        'Returns the sandbox key that all visitors share. A change is seen after two minutes at most. All visitors share the limits of the key.',
      answers: { 200: [SandboxKeySchema, 'The key, or null if the operator shares none.'] },
      errors: ['invalid_request', 'service_unavailable', 'internal_error'],
    },
    async ({ c }) => {
      const stored = await c.get('timings').measure('storage', () => readStored(kv, c.get('requestId')))
      c.header('cache-control', `public, max-age=${CACHED_SECONDS}`)
      return c.json({ object: 'sandbox_key', key: stored })
    },
  )

  operatorOperations(operatorTokens, api).openapi(
    {
      route: 'PUT /api/operator/sandbox-key',
      operationId: 'setSandboxKey',
      summary: 'Set the sandbox key',
      description: 'Shares a sandbox key with all visitors of the front page, or shares none.',
      body: SetSandboxKeySchema,
      answers: { 200: [SandboxKeySchema, 'The key that is shared now.'] },
    },
    async ({ c, sent }) => {
      const { key: wanted } = await sent.body()
      const requestId = c.get('requestId')
      const parsed = wanted === null ? null : parseKey(wanted, peppers)
      const show = async (): Promise<KeyRecord | null> =>
        parsed && operator.showKey(parsed.organisationId, parsed.keyId, requestId)
      if (wanted !== null && !canBeShared(await reachOrganisation(c, show), clock())) throw notASandboxKey()
      await reachOrganisation(c, () => operator.recordSharedKey(parsed, requestId))
      await (wanted === null ? kv.delete(STORED_KEY) : kv.put(STORED_KEY, wanted))
      return c.json({ object: 'sandbox_key', key: wanted })
    },
  )
  return api
}

/** Visitors read letters with it, so it needs that scope. */
const canBeShared = (key: KeyRecord | null, now: number): boolean =>
  key !== null && key.prefix === 'vk_test_' && key.scopes.includes('referral:read') && isActiveAt(now)(key)

async function readStored(kv: KVNamespace, requestId: string): Promise<string | null> {
  try {
    return await kv.get(STORED_KEY, { cacheTtl: CACHED_SECONDS })
  } catch (thrown) {
    logUnexpected(thrown, requestId)
    throw new AppError(
      'service_unavailable',
      'The shared key cannot be read at the moment. Try again in a few seconds.',
      {
        retryAfterSeconds: 5,
      },
    )
  }
}

const notASandboxKey = (): AppError =>
  new AppError(
    'invalid_request',
    'This is not an active sandbox key that may read letters. Send one that begins with vk_test_.',
    {
      param: 'key',
    },
  )
