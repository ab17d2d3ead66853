// Calls of a crash run to the service under test: to found its organisations, wake them, tell what they hold, and publish.
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import type { Emulator } from '../../../../scripts/emulator/server.ts'
import { emulatedProviders, PREFERRED_ENDPOINTS } from '../../../../scripts/local/emulated-providers.ts'
import { callOperator, type OperatorTarget } from '../../../../scripts/operator/operator-client.ts'
import type { Caller } from './clients.ts'
import type { CrashService } from './crash-service.ts'
import { ALARM_PATH, CHECK_PATH, type Told, ToldSchema } from './steps.ts'

export const RETENTION_DAYS = 30
const STEP_TIMEOUT_MS = 120_000

/** An abort is armed once for each object at most. */
const MOST_ASKED = 4

/** The emulator takes its time, so that calls are on the way together: whole answers 20 ms, streams about 100. */
export function providerVars(emulator: Emulator): Record<string, string> {
  return {
    ...emulatedProviders(emulator.url, PREFERRED_ENDPOINTS),
    OPENAI_BASE_URL: `${emulator.url}/openai/_behave/slow,20`,
    ANTHROPIC_BASE_URL: `${emulator.url}/anthropic/_behave/stream,20,5`,
  }
}

const ORGANISATIONS = 2

export async function found(service: CrashService): Promise<{ callers: Caller[]; publicKey: string }> {
  const { target, stop } = await service.start()
  const callers: Caller[] = []
  for (let one = 1; one <= ORGANISATIONS; one++) {
    const { id: organisationId } = await callOperator(target, z.object({ id: z.string() }), 'POST', '/organisations', {
      name: `Practice ${one}`,
      tier: 'enterprise',
      enabled_providers: ['openai', 'anthropic'],
      requests_per_minute: 30_000,
      retention_days: RETENTION_DAYS,
      // One of them has its prompts and answers kept.
      content_logging: one === 1 ? { retention_days: RETENTION_DAYS } : null,
      idempotent_replays: true,
    })
    const { id: keyId, key } = await issueKey(target, organisationId)
    const { key: loopKey } = await issueKey(target, organisationId)
    const { key: letterKey } = await issueKey(target, organisationId, 'vk_live_')
    callers.push({ organisationId, keyId, key, loopKey, letterKey })
  }
  const response = await fetch(`${target.url}/v1/attestation/public-key`)
  const { public_key: publicKey } = z.object({ public_key: z.string() }).parse(await response.json())
  await stop()
  return { callers, publicKey }
}

async function issueKey(
  target: OperatorTarget,
  organisationId: string,
  prefix: 'aqta_' | 'vk_live_' = 'aqta_',
): Promise<{ id: string; key: string }> {
  const scopes = prefix === 'aqta_' ? { scopes: ['chat', 'manage'] } : {}
  const wanted = { prefix, name: 'A caller', ...scopes }
  const path = `/organisations/${organisationId}/keys`
  return callOperator(target, z.object({ id: z.string(), key: z.string() }), 'POST', path, wanted)
}

/** As the operator: what D1 lacks of the settings it has afterwards. */
export const lookAt = (target: OperatorTarget, organisationId: string): Promise<unknown> =>
  callOperator(target, z.object({ id: z.string() }), 'GET', `/organisations/${organisationId}`)

export async function wake(target: OperatorTarget, organisationId: string): Promise<void> {
  const { ok } = await fetch(`${target.url}${ALARM_PATH}${organisationId}`, { method: 'POST' })
  if (!ok) throw new Error('not woken')
}

/** An object that is aborted meanwhile gives no answer, and is asked again. */
export async function askTold(target: OperatorTarget, organisationId: string): Promise<Told> {
  for (let asked = 1; ; asked += 1) {
    const response = await fetch(`${target.url}${CHECK_PATH}${organisationId}`)
    if (response.ok) return ToldSchema.parse(await response.json())
    const text = await response.text()
    if (asked === MOST_ASKED) throw new Error(`an organisation does not tell what it holds: ${text}`)
  }
}

/** An anchor may come beside the leaves that are known. */
export async function untilPublished({ url }: OperatorTarget, leaves: number): Promise<void> {
  const giveUpAt = Date.now() + STEP_TIMEOUT_MS
  for (;;) {
    const response = await fetch(`${url}/v1/public/transparency/sth`)
    const head = z.object({ tree_size: z.int() }).safeParse(await response.json()).data
    if (head !== undefined && head.tree_size >= leaves) return
    if (Date.now() > giveUpAt) throw new Error(`of ${leaves} leaves the public log has ${head?.tree_size ?? 'none'}`)
    await sleep(50)
  }
}

export async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = Date.now() + STEP_TIMEOUT_MS
  while (!isSo()) {
    if (Date.now() > giveUpAt) throw new Error('what the service was to be stopped at did not come about')
    await sleep(2)
  }
}

export async function inTime(killed: Promise<void>): Promise<void> {
  const isLate = new AbortController()
  const late = sleep(STEP_TIMEOUT_MS, undefined, { signal: isLate.signal }).then(
    () => {
      throw new Error('the armed step was not reached')
    },
    () => {},
  )
  try {
    await Promise.race([killed, late])
  } finally {
    isLate.abort()
  }
}
