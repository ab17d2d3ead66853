// Keys page: the words of a key's fields, the same in each of its forms, and the idempotency keys of requests that make a key. Kinds,
// bounds and choices come from the service's schema.
import { REGION_CHOICES } from './key-labels.tsx'
import { useRef } from 'preact/hooks'

export const KEY_WORDS = {
  name: { label: 'Name', hint: 'Approvers and auditors see it. No patient data.', isRequired: true },
  expires_at: { label: 'Last day', hint: 'To the end of that day, in UTC.' },
  requests_per_minute: {
    label: 'Calls a minute',
    hint: 'Empty: as many as the organisation.',
    placeholder: 'Any',
  },
  requests_per_day: { label: 'Calls a day', hint: 'At most. Empty: no limit of its own.', placeholder: 'Any' },
  data_region: {
    label: 'Data region',
    hint: 'Calls with this key are routed within this region, or refused.',
    options: REGION_CHOICES,
  },
} as const

/** Returns a function that gives each body one idempotency key. A request repeated after a lost answer makes no second API key. */
export function useIdempotencyKey(): (body: string) => Record<string, string> {
  const claims = useRef(new Map<string, string>())
  return (body) => {
    const claim = claims.current.get(body) ?? crypto.randomUUID()
    claims.current.set(body, claim)
    return { 'idempotency-key': claim }
  }
}
