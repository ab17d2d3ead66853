// Who is let in: a missing or wrong key is 401 on every keyed route, whatever else is wrong with the call.
import { callCheck, type Check, type CheckSource } from './check.ts'
import type { Call } from './deployment.ts'
import { messageOf } from './error-envelope.ts'
import { postCall, readCall, UNKNOWN_LETTER } from './letters.ts'

const group = 'keys'

const KEYED_CALLS: readonly Call[] = [
  { path: '/v1/specialties' },
  { path: '/v1/waiting-lists?specialty=Cardiology' },
  { path: '/v1/examples' },
  { path: '/v1/datasets' },
  readCall({ text: UNKNOWN_LETTER }),
]

const refuse = (name: string, call: Call): Check => callCheck({ group, name, expected: 'invalid_api_key', call })

function wrongKeys(key: string): Readonly<Record<string, string>> {
  const lastLetter = key.endsWith('a') ? 'b' : 'a'
  return {
    'a made-up key': 'vk_test_0000000000',
    'the key with its last letter changed': key.slice(0, -1) + lastLetter,
    'the key cut short': key.slice(0, -1),
    'the key with a letter too many': `${key}0`,
    'the key as one of the gateway': key.replace('vk_test_', 'aqta_'),
    'the key as a live one': key.replace('vk_test_', 'vk_live_'),
  }
}

export const keyChecks: CheckSource = ({ key }) => [
  ...KEYED_CALLS.map((call) =>
    callCheck({
      group,
      name: `no key: ${call.method ?? 'GET'} ${call.path.split('?')[0] ?? ''}`,
      expected: 'invalid_api_key',
      call: { ...call, key: null },
      examine: (answer) =>
        /e-?mail/i.test(messageOf(answer)) ? [] : ['error.message does not say that keys are requested by e-mail'],
    }),
  ),
  ...Object.entries(wrongKeys(key)).map(([name, wrongKey]) => refuse(name, { path: '/v1/specialties', key: wrongKey })),
  refuse('the key under another scheme', {
    path: '/v1/specialties',
    key: null,
    headers: { authorization: `Basic ${key}` },
  }),
  refuse('no key outranks a body that is not JSON', { ...postCall('{'), key: null }),
  refuse('no key outranks a body that is too large', { ...postCall(' '.repeat(65_537)), key: null }),
  callCheck({
    group,
    name: 'the header spelled Authorisation',
    expected: 200,
    call: { path: '/v1/specialties', key: null, headers: { authorisation: `Bearer ${key}` } },
  }),
]
