// Playground: the key that its calls are sent with. SECURITY: only this module's memory has it. It is in no storage, address or element.
import type { Infer, InferInput } from '../../../platform/once.ts'
import type { CreatedKeySchema, CreateGatewayKeySchema } from '../../../keys/key.schema.ts'
import { HOUR_MS, revokeKey } from '../../api/kept-keys.ts'
import { onSignOut } from '../../api/sign-in.ts'
import { answered, type Answer } from '../../api/send-request.ts'
import { callApi, organisation } from '../session.ts'

type PlaygroundKey = { id: string; secret: string; endsAt: number }

/** A call that begins shortly before the key ends would be refused on its way. */
const LEAST_LEFT_MS = 10_000

let current: PlaygroundKey | null = null

/** Returns the key, and makes one if there is none that still works. */
export async function keyForCalls(): Promise<Answer<PlaygroundKey>> {
  if (current !== null && current.endsAt - Date.now() > LEAST_LEFT_MS) return answered(current)
  const endsAt = Date.now() + HOUR_MS
  const body: InferInput<typeof CreateGatewayKeySchema> = {
    name: 'Playground',
    scopes: ['chat'],
    expires_at: new Date(endsAt).toISOString(),
  }
  const made = await callApi<Infer<typeof CreatedKeySchema>>('POST', '/api/keys', { body })
  if (made.outcome === 'refused') return made
  current = { id: made.body.id, secret: made.body.key, endsAt }
  return answered(current)
}

/** When the key ends, in milliseconds; never if there is none. */
export const endOfKey = (): number => current?.endsAt ?? Infinity

/** Forgets a key that the gateway refused, so that the next call makes another. */
export function forgetKey(): void {
  current = null
}

/** Revokes the key when the person leaves the page or signs out. If neither reaches the service, the key ends after its hour. */
export function revokeKeyOnLeave(): void {
  addEventListener('pagehide', () => void revoke())
  onSignOut(revoke)
}

async function revoke(): Promise<void> {
  if (current === null) return
  const { id } = current
  current = null
  await revokeKey(id, organisation().id)
}
