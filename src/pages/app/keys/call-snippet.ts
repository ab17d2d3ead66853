// The code that a key's page offers: a call that the policy in force allows it, or the list of keys for one that manages.
import type { Key } from '../../../keys/key.schema.ts'
import type { CodeTab } from '../../parts/code-tabs.view.tsx'
import { codeOf, keyHeader } from '../call-code.ts'
import { callsModels, maskedKey, type CreatedKey } from './key-labels.tsx'
import type { AllowedCall } from './allowed-call.ts'

/** Returns the code with the key masked. Its button copies the whole key. */
export function tabsWithSecret(key: CreatedKey, call: AllowedCall | null): readonly CodeTab[] {
  const whole = tabsFor(key, call, key.key)
  return tabsFor(key, call, maskedKey(key)).map((tab, at) => Object.assign(tab, { whole: whole[at]?.text }))
}

/** @param secret the key, or null for an environment variable that holds it */
export function tabsFor(key: Pick<Key, 'scopes'>, call: AllowedCall | null, secret: string | null): readonly CodeTab[] {
  if (callsModels(key)) return call === null ? [] : codeOf(requestFor(call), secret)
  return key.scopes.includes('manage') ? [listOfKeys(secret)] : []
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
