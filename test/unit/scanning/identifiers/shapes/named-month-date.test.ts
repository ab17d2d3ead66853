// A month's name after a duration or a score begins a sentence; after a day it makes a date.
import { describe, expect, it } from 'vitest'
import { findIdentifiers } from '../../../../../src/scanning/identifiers/find-identifiers.ts'

const words = (list: string): string[] => list.split(' ')
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

const MONTHS = words(
  'january jan february feb march mar april apr may june jun july jul august aug september sept sep october oct november nov december dec',
)
const IRISH = words(
  'Eanáir Feabhra Márta Aibreán Bealtaine Meitheamh Iúil Lúnasa Fómhair Samhain Samhna Nollaig Nollag Bealtaine',
)
const DURATIONS = words('1/7 3/7 5/7 6/7 7/7 10/7 1/52 2/52 6/52 12/52 1/12 3/12 6/12 11/12 18/12 12/24 6/40 20/40')
const SCORES = words(
  '0/10 7/10 9/10 10/10 8/9 14/15 15/15 4/5 5/5 3/6 6/6 6/9 12/21 5/27 22/30 29/30 0/3 2/4 1/2 3/4 4/12 9/100',
)
const LEADS = ['Drops TDS for ', 'knee pain ', 'Rx ', 'GCS ', 'scored ', '']
const SEPARATORS = ['. ', ', ', ' ', '.', ',', ' - ', '\n', '.\n', ', now ']
const TAILS = ['', ' use paracetamol', ' from 9/10', ' be needed', '. Review']

const refused = (texts: readonly string[]): string[] => texts.filter((text) => findIdentifiers(text).length > 0)
const passed = (texts: readonly string[]): string[] => texts.filter((text) => findIdentifiers(text).length === 0)

describe('a month after a duration or a score', () => {
  it.each([...DURATIONS, ...SCORES])('%s is no date', (fraction) => {
    const texts = [...MONTHS, ...MONTHS.map(capital), ...IRISH].flatMap((month) =>
      SEPARATORS.flatMap((separator, place) =>
        TAILS.map((tail, row) => `${LEADS[(place + row) % LEADS.length]}${fraction}${separator}${month}${tail}`),
      ),
    )
    expect(refused(texts)).toEqual([])
  })

  it.each([
    'CFS 6. May need rehab',
    'Pain 7. May benefit from a block',
    'pain score 7, dec from 9',
    'GCS 14. Mar chart attached',
    '½ tablet, may increase',
    'PHQ 26/27 May benefit',
  ])('is none in "%s"', (text) => {
    expect(findIdentifiers(text)).toEqual([])
  })
})

describe('the same words in a date', () => {
  it.each([...MONTHS, ...MONTHS.map(capital)].filter((month) => month !== 'oct'))('%s are found', (month) => {
    const texts = [
      `7 ${month} 2024`,
      `7. ${month} 2024`,
      `7/8 ${month} 2024`,
      `7/${month}/2024`,
      `7/${month}/24`,
      `1st/2nd ${month}`,
      `1st/2nd of ${month} 2024`,
      `27/28 ${month}`,
      `on 6/7 ${month}`,
      `the 5th ${month}`,
      `5-7 ${month}`,
      `5th, 6th and 7th ${month}`,
      `for 7/7, 12 ${month}`,
      `pain 7/10. ${month} 3rd, 2024`,
      `7/10. ${month} 2024`,
      `3/7 ${month} 12 June`,
      `seen 7 ${month}`,
      `12${month}2024`,
    ]
    expect(passed(texts)).toEqual([])
  })

  it.each(words('7/5/2024 07/05/24 7.5.24 7-5-2024 2024-05-07 07.05.2024'))('%s is found', (date) => {
    expect(passed([date, `for 7/7. ${date} seen`, `pain 7/10, ${date}`])).toEqual([])
  })
})

describe('inst, ult and prox', () => {
  it.each([
    'after 2nd instant coffee',
    'on the 3rd instant coffee',
    'her 2nd instant messaging session',
    '1st inst of BCG',
    '2nd prox phalanx',
    '2nd prox. phalanx fracture',
    'fracture of 5th prox IPJ',
    '3rd ult scan',
    '2nd instalment',
    '1st proximal screw',
  ])('are words in "%s"', (text) => {
    expect(findIdentifiers(text)).toEqual([])
  })

  it.each([
    'bloods on 7th inst were normal',
    'your letter of the 5th inst.',
    'of the 5th instant',
    'the 21st ult. She was well',
    'the 3rd ultimo, with pain',
    'on the 9th prox',
    'on 7th inst bloods normal',
    'seen 4th inst (home)',
    'Thursday the 12th inst at 2',
    'the 4th of this month',
    'the 4th day of last month was worse',
  ])('are months in "%s"', (text) => {
    expect(findIdentifiers(text)).toHaveLength(1)
  })
})
