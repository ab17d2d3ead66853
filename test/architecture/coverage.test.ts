// Compares what the logs of organisations say that they cover with the API document: every operation that a key of the gateway or of
// readings opens decides or reads, and every error of a deciding operation leaves an entry or does not.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { makeApiDocument } from '../../scripts/pages/worker-files.ts'
import { ENTRY_TAGS, RECEIPT_KIND } from '../../src/evidence/entry-tags.ts'
import { ALSO, DECIDES, READS, WRITES_NONE } from '../../src/organisation/coverage/surface.ts'
import { WRITTEN } from '../support/written-errors.ts'
import { createHourCounts } from '../../src/organisation/journal/state/current-hour.ts'
import { inlineReferences } from '../../src/pages/reference/inline-references.ts'

type Surface = {
  decides: readonly { operation: string; route: string; writes: readonly string[] }[]
  also: readonly string[]
  reads: readonly string[]
  writesNone: readonly { codes: readonly string[]; counted: string | null; why: string }[]
  written: Readonly<Record<string, readonly string[]>>
}

type Operation = {
  operationId: string
  security?: object[]
  responses: Record<string, { 'x-error-codes'?: string[] }>
}

type Document = { paths: Record<string, Record<string, Operation>> }

const SURFACE: Surface = { decides: DECIDES, also: ALSO, reads: READS, writesNone: WRITES_NONE, written: WRITTEN }

/** Errors that leave an entry or none, by when they happen, and the reason. */
const EITHER: Readonly<Record<string, string>> = {
  'createChatCompletion internal_error': 'the service may fail before the decision or after it',
  'createChatCompletion invalid_request': 'the provider refuses what it is sent, after the decision',
  'createChatCompletion rate_limit_exceeded': 'the provider is at its own limit, after the decision',
  'createChatCompletion service_unavailable': 'the provider is overloaded, after the decision',
  'createMessage internal_error': 'as createChatCompletion',
  'createMessage invalid_request': 'as createChatCompletion',
  'createMessage rate_limit_exceeded': 'as createChatCompletion',
  'createMessage service_unavailable': 'as createChatCompletion',
  'createResponse internal_error': 'as createChatCompletion',
  'createResponse invalid_request': 'as createChatCompletion',
  'createResponse rate_limit_exceeded': 'as createChatCompletion',
  'createResponse service_unavailable': 'as createChatCompletion',
  'readReferral internal_error': 'the service may fail before the decision or after it',
  'readReferral service_unavailable': 'the reading was recorded, and its end cannot be',
  'recordOutcome internal_error': 'the service may fail before the choice is recorded or after it',
  'recordOutcome service_unavailable': 'the choice was recorded, and cannot be signed',
}

/** No operation answers with it. */
const OUTSIDE_OPERATIONS = ['method_not_allowed']

const WHYS = new Set('before_decision no_operation no_organisation not_allowed not_run over_limit replayed'.split(' '))

const { counted: _counted, ...refused } = createHourCounts().calls
const COUNTERS = ['other_calls', ...Object.keys(refused).map((outcome) => `refused.${outcome}`)]

const isOfKey = ({ security = [] }: Operation): boolean =>
  security.some((scheme) => 'gatewayKey' in scheme || 'referralKey' in scheme)

const operationsOf = (document: Document): (Operation & { route: string })[] =>
  Object.entries(inlineReferences(document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, security = [], responses }]) => {
      return { operationId, security, responses, route: `${method.toUpperCase()} ${path}` }
    }),
  )

const repeatedIn = (names: readonly string[]): string[] => names.filter((name, at) => names.indexOf(name) !== at)

const isSorted = (names: readonly string[]): boolean => names.join(' ') === [...names].toSorted().join(' ')

/** Returns what is wrong with a surface, a line for each fault. */
function faultsOf({ decides, also, reads, writesNone, written }: Surface, document: Document): string[] {
  const operations = operationsOf(document)
  const deciding = decides.map(({ operation }) => operation)
  const declared = [...deciding, ...reads]
  const none = writesNone.flatMap(({ codes }) => codes)
  const faults: string[] = []
  const refuse = (subject: string, problem: string, isFault: boolean): void => {
    if (isFault) faults.push(`${subject}: ${problem}`)
  }
  for (const { operationId, ...operation } of operations) {
    if (isOfKey({ operationId, ...operation })) {
      refuse(operationId, 'is in neither list', !declared.includes(operationId))
    } else refuse(operationId, 'no such key opens it', declared.includes(operationId))
  }
  for (const name of repeatedIn(declared)) refuse(name, 'twice', true)
  for (const name of reads) refuse(name, 'no such operation', !operations.some((one) => one.operationId === name))
  const answered = new Set(OUTSIDE_OPERATIONS)
  for (const { operation, route, writes } of decides) {
    const found = operations.find(({ operationId }) => operationId === operation)
    refuse(operation, 'not its route', found?.route !== route)
    refuse(operation, 'writes nothing', writes.length === 0)
    const codes = new Set(Object.values(found?.responses ?? {}).flatMap(({ 'x-error-codes': some = [] }) => some))
    const after = written[operation] ?? []
    for (const code of codes) {
      const subject = `${operation} ${code}`
      answered.add(code)
      refuse(subject, 'in neither list of codes', !none.includes(code) && !after.includes(code))
      const isEither = none.includes(code) && after.includes(code)
      refuse(
        subject,
        isEither ? 'in both without a reason' : 'a reason too many',
        isEither !== Object.hasOwn(EITHER, subject),
      )
    }
    for (const code of after) refuse(`${operation} ${code}`, 'never answered', !codes.has(code))
    refuse(operation, 'written is not sorted', !isSorted(after))
    refuse(operation, 'writes is not sorted', !isSorted(writes))
  }
  for (const name of Object.keys(written)) refuse(name, 'decides nothing', !deciding.includes(name))
  for (const code of none) refuse(code, 'never answered', !answered.has(code))
  for (const code of repeatedIn(none)) refuse(code, 'in two rows', true)
  const counters = writesNone.flatMap(({ counted }) => counted?.split('+') ?? [])
  for (const name of counters) refuse(name, 'no such counter', !COUNTERS.includes(name))
  for (const name of COUNTERS) refuse(name, 'counts nothing', !counters.includes(name))
  for (const { codes, counted, why } of writesNone) {
    refuse(
      codes.join(' '),
      'codes or counters are not sorted',
      !isSorted(codes) || !isSorted(counted?.split('+') ?? []),
    )
    refuse(why, 'no such reason', !WHYS.has(why))
    refuse(
      codes.join(' '),
      'only a call without an organisation or an operation is not counted',
      (counted === null) !== why.startsWith('no_'),
    )
  }
  for (const [name, list] of Object.entries({ decides: deciding, also, reads }))
    refuse(name, 'not sorted', !isSorted(list))
  const kinds = [...new Set(decides.flatMap(({ writes }) => writes)), ...also]
  for (const kind of [RECEIPT_KIND, ...Object.keys(ENTRY_TAGS)])
    refuse(kind, 'nothing writes it', !kinds.includes(kind))
  for (const kind of repeatedIn(kinds)) refuse(kind, 'in also and in writes', true)
  return faults
}

const document = JSON.parse(JSON.stringify(await makeApiDocument())) as Document

describe('what the log covers', () => {
  it('has every operation that a key opens, and every error of those that decide', () => {
    expect(operationsOf(document).filter(isOfKey).length).toBeGreaterThan(15)
    expect(faultsOf(SURFACE, document)).toEqual([])
  })
})

describe('the check finds', () => {
  const without = (names: readonly string[], name: string): string[] => names.filter((one) => one !== name)
  const found = (change: Partial<Surface>, of = document): string[] => faultsOf({ ...SURFACE, ...change }, of)
  const changed = (row: Surface['writesNone'][number], change: object): typeof row => ({ ...row, ...change })

  it.each([...DECIDES.map(({ operation }) => operation), ...READS])('that %s is left out', (name) => {
    const decides = DECIDES.filter(({ operation }) => operation !== name)
    expect(found({ decides, reads: without(READS, name) })).toContain(`${name}: is in neither list`)
  })

  it('an operation of the document that nobody declared', () => {
    const operation = { operationId: 'makeNothing', security: [{ gatewayKey: [] }], responses: {} }
    const paths = { ...document.paths, '/v1/nothing': { post: operation } }
    expect(found({}, { ...document, paths })).toEqual(['makeNothing: is in neither list'])
  })

  it('an operation that is not in the document, or not opened by such a key', () => {
    const nothing = { operation: 'makeNothing', route: 'POST /v1/nothing', writes: ['settlement'] }
    expect(found({ decides: [DECIDES[0], DECIDES[1], nothing, DECIDES[2], DECIDES[3]] })).toContain(
      'makeNothing: not its route',
    )
    expect(found({ reads: [...READS, 'makeNothing'].toSorted() })).toContain('makeNothing: no such operation')
    expect(found({ reads: [...READS, 'readPublicKey', 'readHealth'].toSorted() })).not.toEqual([])
    expect(found({ reads: [...READS, 'createResponse'].toSorted() })).toContain('createResponse: twice')
  })

  it('another route', () => {
    const [first, ...others] = DECIDES
    expect(found({ decides: [{ ...first, route: 'POST /v1/chat' }, ...others] })).toEqual([
      'createChatCompletion: not its route',
    ])
  })

  it.each(WRITES_NONE.flatMap(({ codes }) => codes))('that %s is left out of those that leave no entry', (code) => {
    const writesNone = WRITES_NONE.map((row) => changed(row, { codes: without(row.codes, code) }))
    const isOutside = OUTSIDE_OPERATIONS.includes(code)
    expect(found({ writesNone }).length > 0).toBe(!isOutside)
  })

  it.each(Object.entries(WRITTEN).flatMap(([operation, codes]) => codes.map((code) => [operation, code] as const)))(
    'that %s %s is left out of those that leave one',
    (operation, code) => {
      expect(found({ written: { ...WRITTEN, [operation]: without(WRITTEN[operation as never], code) } })).not.toEqual(
        [],
      )
    },
  )

  it('an error that no operation answers with, or that is listed twice', () => {
    const [first, ...others] = WRITES_NONE
    const withCodes = (...codes: string[]) => ({
      writesNone: [{ ...first, codes: [...first.codes, ...codes] }, ...others],
    })
    expect(found(withCodes('role_required'))).toEqual(['role_required: never answered'])
    expect(found(withCodes('text_missing'))).toEqual(['text_missing: in two rows'])
    expect(found(withCodes('policy_blocked'))).toContain('createResponse policy_blocked: in both without a reason')
    expect(found({ written: { ...WRITTEN, recordOutcome: ['loop_detected'] } })).toContain(
      'recordOutcome loop_detected: never answered',
    )
  })

  it.each(WRITES_NONE.map(({ codes }, at) => [codes.join(', '), at] as const))(
    'that %s names a counter that is none, or that it no longer names one',
    (_, place) => {
      const counting = (counted: string | null) =>
        found({ writesNone: WRITES_NONE.map((row, at) => (at === place ? changed(row, { counted }) : row)) })
      expect(counting('refused.other')).not.toEqual([])
      if (WRITES_NONE[place]?.counted !== null) expect(counting(null)).not.toEqual([])
    },
  )

  it('lists that are not sorted, kinds that nothing writes, and reasons that are none', () => {
    expect(found({ decides: DECIDES.toReversed() })).toContain('decides: not sorted')
    expect(found({ reads: READS.toReversed() })).toContain('reads: not sorted')
    expect(found({ also: without(ALSO, 'approval') })).toEqual(['approval: nothing writes it'])
    expect(found({ also: [...ALSO, 'settlement'].toSorted() })).toEqual(['settlement: in also and in writes'])
    expect(found({ writesNone: WRITES_NONE.map((row) => changed(row, { why: 'because' })) })).not.toEqual([])
  })
})

it('every module that writes a decision writes what covers it', () => {
  const writing = /\.appendReceipt\(|append\(\{ kind: (?:entry\.kind|'referral_(?:decision|outcome)')/
  const files = globSync('src/**/*.ts').filter((file) => writing.test(readFileSync(file, 'utf8')))
  expect(files.toSorted()).toEqual([
    'src/organisation/admit/admit-referral.ts',
    'src/organisation/admit/record-chat.ts',
    'src/organisation/outcomes/outcomes.target.ts',
  ])
  for (const file of files) expect(readFileSync(file, 'utf8')).toMatch(/\bcoverDecision\(journal,/)
})
