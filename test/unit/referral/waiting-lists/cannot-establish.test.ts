import { describe, expect, it } from 'vitest'
import {
  cannotEstablishOfAnswer,
  cannotEstablishOfList,
} from '../../../../src/referral/waiting-lists/cannot-establish.ts'
import type { DatasetKind, Layout } from '../../../../src/referral/waiting-lists/dataset.ts'

const answer = (layout: Layout, hasLists = true, kind: DatasetKind = 'outpatient') =>
  cannotEstablishOfAnswer({ kind, layout, ageGroup: 'Adult', hasLists }).join(' ')
const ofList = (layout: Layout, kind: DatasetKind = 'outpatient') => cannotEstablishOfList({ kind, layout }).join(' ')

describe('cannotEstablish', () => {
  it.each<Layout>(['long', 'long_case_type', 'wide_specialty'])('says the same of every %s file', (layout) => {
    const list = ofList(layout)
    expect(list).toContain('How long this patient would wait')
    expect(list).toContain('How urgent')
    expect(answer(layout)).toContain('Any average')
    expect(answer(layout)).toContain('review appointments')
  })

  it('says of a file without hospitals that it does not tell which hospitals run the specialty', () => {
    expect(answer('wide_specialty')).toContain('Which hospitals run this specialty')
    expect(ofList('wide_specialty')).toContain('Which hospitals run this specialty')
    expect(answer('long')).not.toContain('Which hospitals run this specialty')
  })

  it('says of a file with hospitals that one not listed may still run the specialty', () => {
    expect(answer('long')).toContain('That a hospital not listed does not run the specialty')
    expect(answer('wide_specialty')).not.toContain('a hospital not listed')
  })

  it.each<[DatasetKind, Layout]>([
    ['inpatient_day_case', 'long_case_type'],
    ['inpatient_day_case', 'wide_specialty'],
    ['gi_endoscopy', 'long_case_type'],
  ])('says of %s figures (%s) that their case types are counted together', (kind, layout) => {
    expect(answer(layout, true, kind)).toContain('case types')
    expect(answer(layout)).not.toContain('case types')
  })

  it.each<[DatasetKind, string]>([
    ['outpatient', 'Waits for anything but a first outpatient appointment'],
    ['inpatient_day_case', 'Waits for an outpatient appointment'],
    ['gi_endoscopy', 'Waits for anything but a gastrointestinal endoscopy'],
  ])('says with every list and answer of %s what is not counted', (kind, sentence) => {
    expect(ofList('wide_specialty', kind)).toContain(sentence)
    expect(answer('wide_specialty', true, kind)).toContain(sentence)
    expect(answer('wide_specialty', false, kind)).toContain(sentence)
  })

  it('says first, of an answer without lists, that this is not an absence of people', () => {
    const [first] = cannotEstablishOfAnswer({ kind: 'outpatient', layout: 'long', ageGroup: 'Child', hasLists: false })
    expect(first).toContain('no child waits')
    expect(answer('long')).not.toContain('no adult waits')
  })
})
