import { describe, expect, it } from 'vitest'
import {
  checkPublication,
  missingSpecialties,
  titleFault,
} from '../../../../src/referral/waiting-lists/publication.policy.ts'

const today = '2027-12-31'

function reasonOf(archiveDate: string, publishedOn: string): string {
  const check = checkPublication({ archiveDate, publishedOn, today })
  return check.ok ? 'accepted' : check.reason
}

describe('checkPublication', () => {
  it.each(['2026-02-30', '2026-13-01', '09/10/2026', '2026-10-9', 'soon', ''])(
    'refuses %j, which is no date',
    (date) => {
      expect(reasonOf('2026-09-24', date)).toContain('calendar')
    },
  )

  it.each(['2026-09-24', '2026-09-23', '2025-10-09'])('refuses %s, which is not after the archive date', (date) => {
    expect(reasonOf('2026-09-24', date)).toContain('after')
  })

  it.each(['2026-09-29', '2026-10-09', '2026-11-03'])('takes %s without a word', (date) => {
    expect(checkPublication({ archiveDate: '2026-09-24', publishedOn: date, today })).toStrictEqual({
      ok: true,
      warnings: [],
    })
  })

  it.each(['2026-09-28', '2026-11-04', '2027-10-08'])('takes %s with a warning, for it is unusual', (date) => {
    expect(checkPublication({ archiveDate: '2026-09-24', publishedOn: date, today })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('usual')],
    })
  })

  it.each([
    ['2026-10-09', 'accepted'],
    ['2026-10-10', 'accepted'],
    ['2026-10-11', 'The publication date 2026-10-11 is in the future: today is 2026-10-10. Check the date.'],
    ['2036-10-09', 'The publication date 2036-10-09 is in the future: today is 2026-10-10. Check the date.'],
  ])('judges %s by what day it is', (publishedOn, said) => {
    const check = checkPublication({ archiveDate: '2026-09-24', publishedOn, today: '2026-10-10' })
    expect(check.ok ? 'accepted' : check.reason).toBe(said)
  })

  it('warns when the archive date is not a Thursday, as in re-published copies', () => {
    expect(checkPublication({ archiveDate: '2026-09-30', publishedOn: '2026-10-09', today })).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('Thursday')],
    })
  })
})

describe('missingSpecialties', () => {
  const version = { specialties: [{ name: 'Cardiology' }, { name: 'Paediatric ENT' }] }

  it('names each specialty that the version does not have, once, compared exactly', () => {
    const named = ['Cardiology', 'Urology', 'cardiology', 'Urology', 'Paediatric ENT']
    expect(missingSpecialties(named, version)).toStrictEqual(['Urology', 'cardiology'])
  })

  it('is empty when all are there', () => {
    expect(missingSpecialties(['Cardiology'], version)).toStrictEqual([])
  })
})

describe('titleFault', () => {
  it.each([
    ['nothing', '', /empty/],
    ['blanks', ' \t ', /empty/],
    ['too much', 'T'.repeat(201), /longer than 200/],
    ['a control character', 'Out\u001b[2Jpatients', /invisible/],
    ['a character that turns text round', 'Outpatients \u202evsc.lmth', /invisible/],
    ['markup', '<b>Outpatients</b>', /markup/],
    ['an entity of markup', 'Outpatients &lt;b&gt;', /markup/],
    ['letters in a wrong encoding', 'SlÃ¡inte', /encoding/],
  ])('refuses %s', (_what, title, reason) => {
    expect(titleFault(title)).toMatch(reason)
  })

  it.each(['OP-Waiting-List-By-Group-Hospital-2021-1.csv', 'Figures — “as published”, 2026 (Sláinte)', '待机名单'])(
    'takes %s',
    (title) => {
      expect(titleFault(title)).toBeNull()
    },
  )
})
