import { describe, expect, it } from 'vitest'
import { readChoice } from '../../../../src/referral/readers/sample.ts'

const PUBLISHED = new Set(['Cardiology', 'Paediatric ENT'])

const choice = (text: string, rest: object = {}) => ({
  index: 0,
  text,
  refusal: null,
  toolCalls: [],
  finishReason: 'stop' as const,
  ...rest,
})
const answer = (value: unknown, rest: object = {}) => readChoice(choice(JSON.stringify(value), rest), PUBLISHED)

describe('a sample', () => {
  it('is a published entry and an age group', () => {
    expect(answer({ specialty: 'Cardiology', ageGroup: 'Adult' })).toEqual({
      specialty: 'Cardiology',
      ageGroup: 'Adult',
      twoProblems: false,
    })
  })

  it('is none of the entries, and says so, where the letter asks about two problems', () => {
    expect(answer({ specialty: 'Two problems', ageGroup: 'Adult' })).toEqual({
      specialty: null,
      ageGroup: 'Adult',
      twoProblems: true,
    })
  })

  it('is null where the answer is none of these, and where no age is stated', () => {
    expect(answer({ specialty: 'None of these', ageGroup: 'Not stated' })).toEqual({
      specialty: null,
      ageGroup: null,
      twoProblems: false,
    })
  })

  it.each([
    ['a specialty that is not published', { specialty: 'Homeopathy', ageGroup: 'Adult' }],
    ['another spelling of one that is', { specialty: 'cardiology', ageGroup: 'Adult' }],
    ['a name every object has', { specialty: 'constructor', ageGroup: 'Adult' }],
    ['null in place of an entry', { specialty: null, ageGroup: 'Adult' }],
    ['two entries', { specialty: ['Cardiology'], ageGroup: 'Adult' }],
    ['an age', { specialty: 'Cardiology', ageGroup: '61' }],
    ['no age group', { specialty: 'Cardiology' }],
    ['a member that was not asked for', { specialty: 'Cardiology', ageGroup: 'Adult', urgency: 'urgent' }],
    ['a list', [{ specialty: 'Cardiology', ageGroup: 'Adult' }]],
  ])('is none with %s', (_, value) => {
    expect(answer(value)).toBeNull()
  })

  it.each(['', 'Cardiology', '{"specialty":"Cardiology","ageGroup":"Ad', '```json\n{"specialty":"Cardiology"}\n```'])(
    'is none where the answer is not the JSON asked for: %j',
    (text) => {
      expect(readChoice(choice(text), PUBLISHED)).toBeNull()
    },
  )

  it.each(['length', 'content_filter', 'tool_calls'])('is none where the answer ended by %s', (finishReason) => {
    expect(answer({ specialty: 'Cardiology', ageGroup: 'Adult' }, { finishReason })).toBeNull()
  })

  it('is none where the model declined', () => {
    expect(answer({ specialty: 'Cardiology', ageGroup: 'Adult' }, { refusal: 'No.' })).toBeNull()
  })
})
