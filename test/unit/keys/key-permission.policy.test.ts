// Tests who may make, change, rotate and end which keys: the whole table.
import { describe, expect, it } from 'vitest'
import { keysReachOf, type Role } from '../../../src/accounts/access/roles.policy.ts'
import {
  couldMakeKey,
  findChangingFault,
  findRevokingFault,
  findMakingFault,
  findRotatingFault,
  type KeyForbidden,
  type KeyManager,
} from '../../../src/keys/key-permission.policy.ts'
import type { KeyRecord, KeyScope } from '../../../src/keys/key.schema.ts'

const NO_LIMITS = { requestsPerMinute: null, requestsPerDay: null, dataRegion: null, expiresAt: null }
const evaluation = false

const me = 'usr_me'
const person = (reach: 'all' | 'own'): KeyManager => ({ kind: 'person', id: me, reach })
const automation = (...scopes: KeyScope[]): KeyManager => ({ kind: 'key', id: 'key_manager', scopes, ...NO_LIMITS })

const made = (createdBy: KeyRecord['createdBy'], ...scopes: KeyScope[]) => ({
  createdBy,
  scopes,
  evaluation,
  ...NO_LIMITS,
})
const MINE = [made(me, 'chat')]
const OTHERS = [made('usr_other', 'chat'), made('key_manager', 'chat'), made('operator', 'chat')]
const MINE_MANAGING = [made(me, 'manage'), made(me, 'chat', 'manage')]
const OTHERS_MANAGING = [made('usr_other', 'manage'), made('operator', 'chat', 'manage')]

const OK = null
const [ANOTHERS, ROLE, PERSON, SCOPE] = [
  'of_another_maker',
  'manage_needs_role',
  'manage_needs_person',
  'scope_missing',
]

const whyOf = (forbidden: KeyForbidden | null): string | null => forbidden?.why ?? null

type Expected = [makes: string | null, ends: string | null, changes: string | null, rotates: string | null]

const DEVELOPER: Expected[] = [
  [OK, OK, OK, OK],
  [OK, ANOTHERS, ANOTHERS, ANOTHERS],
  [ROLE, OK, ROLE, ROLE],
  [ROLE, ANOTHERS, ANOTHERS, ANOTHERS],
]
const CHATS: Expected = [OK, OK, OK, OK]
const MANAGES_AS_A_KEY: Expected = [PERSON, PERSON, PERSON, PERSON]

/** Results for each caller, on MINE, OTHERS, MINE_MANAGING and OTHERS_MANAGING. */
it.each<[string, KeyManager, Expected[]]>([
  ['an owner', person('all'), [CHATS, CHATS, CHATS, CHATS]],
  ['a developer', person('own'), DEVELOPER],
  [
    'a key that manages',
    automation('manage'),
    [[SCOPE, OK, OK, SCOPE], [SCOPE, OK, OK, SCOPE], MANAGES_AS_A_KEY, MANAGES_AS_A_KEY],
  ],
  ['a key that manages and chats', automation('chat', 'manage'), [CHATS, CHATS, MANAGES_AS_A_KEY, MANAGES_AS_A_KEY]],
])('%s makes, ends, changes and rotates the keys that it may', (_, manager, expected) => {
  for (const [n, keys] of [MINE, OTHERS, MINE_MANAGING, OTHERS_MANAGING].entries()) {
    for (const key of keys) {
      const faults = [
        findMakingFault(manager, key),
        findRevokingFault(manager, key),
        findChangingFault(manager, key, { name: 'Another' }),
        findRotatingFault(manager, key),
      ]
      expect(faults.map(whyOf), JSON.stringify(key)).toEqual(expected[n])
    }
  }
})

it.each<[string, KeyManager, string | null]>([
  ['an owner or admin', person('all'), OK],
  ['a developer', person('own'), 'evaluation_needs_role'],
  ['a key that manages', automation('chat', 'manage'), 'evaluation_needs_role'],
])('%s makes and rotates a key for evaluation, or does not', (_, manager, expected) => {
  const key = { ...made(me, 'chat'), evaluation: true }
  expect([findMakingFault(manager, key), findRotatingFault(manager, key)].map(whyOf)).toEqual([expected, expected])
})

it.each<[Role, could: boolean[]]>([
  ['owner', [true, true, true, true]],
  ['admin', [true, true, true, true]],
  ['developer', [true, false, false, false]],
  ['auditor', [false, false, false, false]],
  ['clinician', [false, false, false, false]],
])('%s could make the keys that stay after a change to it', (role, could) => {
  const keys = [
    made(me, 'chat'),
    made(me, 'chat', 'manage'),
    { ...made(me, 'chat'), evaluation: true },
    made('key_manager', 'chat'),
  ]
  expect(keys.map((key) => couldMakeKey({ id: me, reach: keysReachOf(role) }, key))).toEqual(could)
})

describe.each(['requestsPerMinute', 'requestsPerDay', 'expiresAt'] as const)('a key with %s of its own', (limit) => {
  const limited: KeyManager = { kind: 'key', id: 'key_manager', scopes: ['chat', 'manage'], ...NO_LIMITS, [limit]: 5 }
  const key = (most: number | null) => ({ ...made(me, 'chat'), [limit]: most })
  const beyond = { why: 'beyond_own', limit, most: 5 }

  it.each([
    [4, null],
    [5, null],
    [6, beyond],
    [null, beyond],
  ])('makes and rotates none with more: %s', (most, expected) => {
    expect(findMakingFault(limited, key(most))).toEqual(expected)
    expect(findRotatingFault(limited, key(most))).toEqual(expected)
  })

  it.each<[before: number | null, after: number | null | undefined, expected: object | null]>([
    [1, 5, null],
    [1, 6, beyond],
    [1, null, beyond],
    [8, 8, null],
    [8, 7, null],
    [8, 9, beyond],
    [null, 9, null],
    [null, null, null],
    [null, undefined, null],
  ])('changes none from %s to %s where that is more than it has', (before, after, expected) => {
    const change = after === undefined ? { name: 'Another' } : { [limit]: after }
    expect(findChangingFault(limited, key(before), change)).toEqual(expected)
  })

  it('is no limit to what is made by people', () => {
    for (const manager of [person('all'), person('own')]) {
      expect(findMakingFault(manager, key(null))).toBe(null)
      expect(findChangingFault(manager, key(1), { [limit]: null })).toBe(null)
    }
  })
})

type Region = KeyRecord['dataRegion']

describe('a key with a data region of its own', () => {
  const limitedTo = (dataRegion: Region): KeyManager => ({
    kind: 'key',
    id: 'key_manager',
    scopes: ['chat', 'manage'],
    ...NO_LIMITS,
    dataRegion,
  })
  const key = (dataRegion: Region) => ({ ...made(me, 'chat'), dataRegion })
  const beyond = (region: Region) => ({ why: 'region_beyond_own', region })

  it.each<[own: Region, wider: Region[], within: Region[]]>([
    ['eu', ['eea_ch', 'any', null], ['eu']],
    ['eea_ch', ['any', null], ['eu', 'eea_ch']],
    ['any', [], ['eu', 'eea_ch', 'any', null]],
    [null, [], ['eu', 'eea_ch', 'any', null]],
  ])('of %s makes and rotates none of %j, and those of %j', (own, wider, within) => {
    for (const [regions, expected] of [[wider, beyond(own)] as const, [within, null] as const]) {
      for (const region of regions) {
        expect(findMakingFault(limitedTo(own), key(region)), String(region)).toEqual(expected)
        expect(findRotatingFault(limitedTo(own), key(region)), String(region)).toEqual(expected)
      }
    }
  })

  it.each<[before: Region, after: Region | undefined, isAllowed: boolean]>([
    ['eu', 'eea_ch', false],
    ['eu', null, false],
    ['eea_ch', 'any', false],
    ['eea_ch', null, false],
    ['eea_ch', 'eea_ch', true],
    ['any', 'eea_ch', true],
    [null, 'eea_ch', true],
    [null, 'eu', true],
    [null, null, true],
    [null, undefined, true],
  ])('of eu changes none from %s to %s where that is wider than both', (before, after, isAllowed) => {
    const change = after === undefined ? { name: 'Another' } : { dataRegion: after }
    expect(findChangingFault(limitedTo('eu'), key(before), change)).toEqual(isAllowed ? null : beyond('eu'))
  })

  it('is no limit to what is made by people', () => {
    expect(findMakingFault(person('own'), key(null))).toBe(null)
    expect(findChangingFault(person('own'), key('eu'), { dataRegion: null })).toBe(null)
  })
})
