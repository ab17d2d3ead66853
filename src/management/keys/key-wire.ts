// Reads the wire form of a key's settings.
import type { KeyChange } from '../../keys/key-change.policy.ts'
import { KEY_SCOPES } from '../../keys/key.schema.ts'
import type { MakeKey, UpdateKey } from './managed-keys.schema.ts'
import type { WantedKey } from './keys.service.ts'

export const readWantedKey = (form: MakeKey): WantedKey => ({
  prefix: form.prefix,
  name: form.name,
  scopes: KEY_SCOPES.filter((scope) => form.scopes.some((wanted) => wanted === scope)),
  requestsPerMinute: form.requests_per_minute ?? null,
  requestsPerDay: form.requests_per_day ?? null,
  expiresAt: form.expires_at === undefined ? null : Date.parse(form.expires_at),
})

/** Returns only the members that change. */
export const readKeyChange = ({ name, expires_at, requests_per_minute, requests_per_day }: UpdateKey): KeyChange => ({
  ...(name !== undefined && { name }),
  ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : Date.parse(expires_at) }),
  ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
  ...(requests_per_day !== undefined && { requestsPerDay: requests_per_day }),
})
