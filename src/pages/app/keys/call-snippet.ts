// The code that a key's page offers: a call that the policy in force allows it, or the list of keys for one that manages.
import type { Key } from '../../../keys/key.schema.ts'
import type { CodeTab } from '../../parts/code-tabs.view.tsx'
import { codeOf, keyHeader } from '../call-code.ts'
import type { AllowedCall } from './allowed-call.ts'

/** @param secret the whole key, or null for an environment variable that holds it */
export function tabsFor(
  { scopes }: Pick<Key, 'scopes'>,
  call: AllowedCall | null,
  secret: string | null,
): readonly CodeTab[] {
  if (scopes.includes('chat')) return call === null ? [] : codeOf(requestFor(call), secret)
  return scopes.includes('manage') ? [listOfKeys(secret)] : []
}

const requestFor = ({ model, useCase }: AllowedCall) => ({
  body: { model, messages: [{ role: 'user' as const, content: 'Say hello.' }] },
  useCase: useCase ?? '',
})

const listOfKeys = (secret: string | null): CodeTab => ({
  name: 'curl',
  language: 'sh',
  text: `curl -s ${location.origin}/api/keys \\\n  ${keyHeader(secret)}`,
})
