// Who may make, change, rotate and end which keys: the whole table.
import { describe, expect, it } from 'vitest'
import type { KeyScope } from '../../../src/keys/key.schema.ts'
import {
  findChangingFault,
  findEndingFault,
  findMakingFault,
  findRotatingFault,
  type KeyManager,
} from '../../../src/keys/key-permission.policy.ts'
import type { KeyRecord } from '../../../src/keys/keys.store.ts'

const me = 'usr_me'
const person = (reach: 'all' | 'own', isFresh: boolean): KeyManager => ({ kind: 'person', id: me, reach, isFresh })
const automation = (...scopes: KeyScope[]): KeyManager => ({ kind: 'key', id: 'key_manager', scopes })

const MANAGERS = {
  'an owner': person('all', false),
  'an owner, fresh': person('all', true),
  'a developer': person('own', false),
  'a developer, fresh': person('own', true),
  'a key that manages': automation('manage'),
  'a key that manages and chats': automation('chat', 'manage'),
}
type Named = keyof typeof MANAGERS

const judged = (createdBy: KeyRecord['createdBy'], ...scopes: KeyScope[]) => ({ createdBy, scopes })
const KEYS = {
  mine: judged(me, 'chat'),
  'of another': judged('usr_other', 'chat'),
  'of a key': judged('key_manager', 'chat'),
  'mine, managing': judged(me, 'chat', 'manage'),
  'of another, managing': judged('usr_other', 'manage'),
}

const OK = null
const [ANOTHERS, ROLE, PERSON, FRESH, SCOPE] = [
  'of_another_maker',
  'manage_needs_role',
  'manage_needs_person',
  'not_fresh',
  'scope_missing',
]

describe.each<[Named, (string | null)[]]>([
  ['an owner', [OK, FRESH, FRESH]],
  ['an owner, fresh', [OK, OK, OK]],
  ['a developer', [OK, ROLE, ROLE]],
  ['a developer, fresh', [OK, ROLE, ROLE]],
  ['a key that manages', [SCOPE, PERSON, PERSON]],
  ['a key that manages and chats', [OK, PERSON, PERSON]],
])('%s makes', (name, expected) => {
  it('keys that chat, that manage, that do both, or not', () => {
    const wanted: KeyScope[][] = [['chat'], ['manage'], ['chat', 'manage']]
    const answers = wanted.map((scopes) => findMakingFault(MANAGERS[name], scopes)?.why ?? null)
    expect(answers).toEqual(expected)
  })
})

/** Of each of KEYS, in their order. */
const CHANGES: Record<Named, { ends: (string | null)[]; changes: (string | null)[]; rotates: (string | null)[] }> = {
  'an owner': {
    ends: [OK, OK, OK, OK, OK],
    changes: [OK, OK, OK, FRESH, FRESH],
    rotates: [OK, OK, OK, FRESH, FRESH],
  },
  'an owner, fresh': {
    ends: [OK, OK, OK, OK, OK],
    changes: [OK, OK, OK, OK, OK],
    rotates: [OK, OK, OK, OK, OK],
  },
  'a developer': {
    ends: [OK, ANOTHERS, ANOTHERS, OK, ANOTHERS],
    changes: [OK, ANOTHERS, ANOTHERS, ROLE, ANOTHERS],
    rotates: [OK, ANOTHERS, ANOTHERS, ROLE, ANOTHERS],
  },
  'a developer, fresh': {
    ends: [OK, ANOTHERS, ANOTHERS, OK, ANOTHERS],
    changes: [OK, ANOTHERS, ANOTHERS, ROLE, ANOTHERS],
    rotates: [OK, ANOTHERS, ANOTHERS, ROLE, ANOTHERS],
  },
  'a key that manages': {
    ends: [OK, OK, OK, PERSON, PERSON],
    changes: [OK, OK, OK, PERSON, PERSON],
    rotates: [SCOPE, SCOPE, SCOPE, PERSON, PERSON],
  },
  'a key that manages and chats': {
    ends: [OK, OK, OK, PERSON, PERSON],
    changes: [OK, OK, OK, PERSON, PERSON],
    rotates: [OK, OK, OK, PERSON, PERSON],
  },
}

it.each(Object.entries(CHANGES))('%s ends, changes and rotates the keys that it may', (name, expected) => {
  const manager = Object.entries(MANAGERS).find(([named]) => named === name)?.[1]
  if (manager === undefined) throw new Error('nobody has this name')
  const keys = Object.values(KEYS)
  expect({
    ends: keys.map((key) => findEndingFault(manager, key)?.why ?? null),
    changes: keys.map((key) => findChangingFault(manager, key)?.why ?? null),
    rotates: keys.map((key) => findRotatingFault(manager, key)?.why ?? null),
  }).toEqual(expected)
})
