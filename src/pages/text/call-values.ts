// What values of a call may look like in an address, which anybody can write. The service is not asked for others.
import { endingsIn, SHOWN_OUTCOMES } from '../../evidence/records/call-endings.ts'

const KEY = /^key_[0-9a-f-]{36}$/
const USE_CASE = /^[a-z0-9][a-z0-9._-]{0,63}$/

export const isKeyId = (value: string): boolean => KEY.test(value)
export const isUseCase = (value: string): boolean => USE_CASE.test(value)
export const isModelName = (value: string): boolean => value.length <= 100

/** Returns the filter of the API for what people see. The API has no outcome for failed calls, which passed the policy. */
export function outcomeQuery(shown: string | null): { outcome?: string; ending?: string } {
  if (shown === null) return {}
  const group = SHOWN_OUTCOMES.find(({ name, outcome }) => name === shown && outcome === 'passed')
  return group === undefined ? { outcome: shown } : { ending: endingsIn(group.name).join(',') }
}
