// The rules the example letters keep: each path of the service has one, and none of them asks the service to triage.
import { describe, expect, it } from 'vitest'
import { EXAMPLES } from '../../../../scripts/example-letters.ts'
import { REFERRAL_LIMITS } from '../../../../src/keys/rate-limits.policy.ts'
import { IDENTIFIER_SHAPES } from '../../../../src/scanning/identifiers/shapes/identifiers.ts'
import { ExamplesResponseSchema, type Example } from '../../../../src/referral/examples/examples.ts'

const { list: examples, readings, match } = EXAMPLES
const letters = examples.filter(({ expected }) => expected.code !== 'identifier_found')
const identifierLetters = examples.filter(({ expected }) => expected.code === 'identifier_found')
const answered = (decision: 'yes' | 'ask') => examples.filter(({ expected }) => expected.decision === decision)
const readersOf = ({ id }: Example) => readings.get(id)?.readers ?? []
const wordsOf = (text: string) => text.split(/\s+/).length
const idsOf = (some: readonly Example[]) => some.map(({ id }) => id)
const yesFor = (ageGroup: string) =>
  answered('yes').filter((example) => readersOf(example).every((reader) => reader.ageGroup === ageGroup))

const NOTHING = { specialty: null, ageGroup: null }
const HELD = ['choose_destination', 'submit_referral', 'assign_urgency', 'rank_suitability', 'book_appointment']
const ALLOWED = ['read', 'identify_specialty', 'list_destinations', 'compare', 'assemble_evidence', 'flag']

describe('the example letters', () => {
  it('are what GET /v1/examples declares', () => {
    expect(ExamplesResponseSchema().safeParse({ examples }).success).toBe(true)
  })

  it('have ids and texts of their own, and no text that differs only in blanks', () => {
    expect(new Set(examples.map(({ id }) => id)).size).toBe(examples.length)
    expect(new Set(examples.map(({ text }) => text.replace(/\s+/g, ' ').trim())).size).toBe(examples.length)
  })

  it('are published trimmed and with plain line ends', () => {
    for (const { text } of examples) expect(text).toBe(text.replaceAll('\r', '').trim())
  })

  it('are short enough to be sent', () => {
    expect(idsOf(examples.filter(({ text }) => Array.from(text).length > 4000))).toEqual([])
  })

  it('are as long as real letters, but for the fragments that hold an identifier', () => {
    expect(idsOf(letters.filter(({ text }) => wordsOf(text) < 90 || wordsOf(text) > 250))).toEqual([])
  })

  it('can all be read with their lists within the minute of a sandbox key', () => {
    const lists = answered('yes').length
    expect(examples.length + lists).toBeLessThanOrEqual(REFERRAL_LIMITS.vk_test_.perMinute)
  })

  it('ask for no triage', () => {
    const triage = /\b(urgen\w*|routine\w*|priorit\w*|expedit\w*|asap|soon|(two|2) week (wait|rule))\b/i
    expect(idsOf(examples.filter(({ text }) => triage.test(text)))).toEqual([])
  })
})

describe('the paths the examples cover', () => {
  it('has several yes for adults and several for children', () => {
    expect(yesFor('Adult').length).toBeGreaterThanOrEqual(4)
    expect(yesFor('Child').length).toBeGreaterThanOrEqual(4)
  })

  it('has yes with readers that differ about the age group', () => {
    const differing = answered('yes').filter((example) => new Set(readersOf(example).map((r) => r.ageGroup)).size === 2)
    expect(differing.length).toBeGreaterThanOrEqual(1)
  })

  it('has ask by difference for an adult and for a child', () => {
    const differing = answered('ask').filter((example) => {
      const [a, b] = readersOf(example)
      return a?.available && b?.available && a.specialty !== null && b.specialty !== null && a.specialty !== b.specialty
    })
    const ageGroups = new Set(differing.flatMap((example) => readersOf(example).map((reader) => reader.ageGroup)))
    expect(ageGroups).toEqual(new Set(['Adult', 'Child']))
  })

  it('has ask where both readers say that no specialty fits, and where only one does', () => {
    const none = answered('ask').map(
      (example) => readersOf(example).filter((reader) => reader.available && reader.specialty === null).length,
    )
    expect(none).toContain(2)
    expect(none).toContain(1)
  })

  it('has ask where both readers find two problems', () => {
    const found = answered('ask').filter((example) => readersOf(example).every(({ twoProblems }) => twoProblems))
    expect(found.length).toBeGreaterThanOrEqual(1)
  })

  it.each(['timeout', 'provider_error', 'invalid_answer', 'no_majority'])('has ask because of %s', (reason) => {
    const found = answered('ask').filter((example) => readersOf(example).some((reader) => reader.reason === reason))
    expect(found.length).toBeGreaterThanOrEqual(1)
  })

  it('has ask with one unavailable reader and with two', () => {
    const missing = answered('ask').map((example) => readersOf(example).filter((reader) => !reader.available).length)
    expect(missing).toContain(1)
    expect(missing).toContain(2)
  })

  it('has a letter for each of the five held actions', () => {
    const held = examples.filter(({ expected }) => expected.decision === 'held')
    expect(held).toHaveLength(HELD.length)
    expect(new Set(held.map(({ action }) => action))).toEqual(new Set(HELD))
    for (const { expected } of held) expect(expected).toEqual({ status: 409, decision: 'held', code: null, ...NOTHING })
  })

  it('has an action that does not exist', () => {
    const unknown = examples.filter(({ expected }) => expected.code === 'unknown_action')
    expect(unknown.length).toBeGreaterThanOrEqual(1)
    for (const { action, expected } of unknown) {
      expect([...HELD, ...ALLOWED]).not.toContain(action)
      expect(expected).toEqual({ status: 403, decision: null, code: 'unknown_action', ...NOTHING })
    }
  })

  it('sends every other letter without an action or with an allowed one', () => {
    for (const { action, expected } of examples) {
      if (expected.status === 200 || expected.status === 422) expect([null, ...ALLOWED]).toContain(action)
    }
  })

  it('can read the letter of every held or unknown action when it is sent without that action', () => {
    for (const { id, text } of letters) expect(match(text)?.example.id).toBe(id)
  })

  it('has a letter for each identifier shape', () => {
    expect(identifierLetters).toHaveLength(IDENTIFIER_SHAPES.length)
    for (const { expected } of identifierLetters) {
      expect(expected).toEqual({ status: 422, decision: null, code: 'identifier_found', ...NOTHING })
    }
  })
})
