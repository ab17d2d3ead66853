import { describe, expect, it } from 'vitest'
import { checkPublication, missingSpecialties } from '../../../../src/referral/waiting-lists/publication.policy.ts'

function reasonOf(archiveDate: string, publishedOn: string): string {
  const check = checkPublication(archiveDate, publishedOn)
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
    expect(checkPublication('2026-09-24', date)).toStrictEqual({ ok: true, warnings: [] })
  })

  it.each(['2026-09-28', '2026-11-04', '2027-10-08'])('takes %s with a warning, for it is unusual', (date) => {
    expect(checkPublication('2026-09-24', date)).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('usual')],
    })
  })

  it('warns when the archive date is not a Thursday, as in re-published copies', () => {
    expect(checkPublication('2026-09-30', '2026-10-09')).toMatchObject({
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
