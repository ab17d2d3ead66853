import { describe, expect, it } from 'vitest'
import {
  cannotEstablishOfAnswer,
  cannotEstablishOfList,
} from '../../../../src/referral/waiting-lists/cannot-establish.ts'
import type { Layout } from '../../../../src/referral/waiting-lists/dataset.ts'

const answer = (layout: Layout, hasLists = true) =>
  cannotEstablishOfAnswer({ layout, ageGroup: 'Adult', hasLists }).join(' ')

describe('cannotEstablish', () => {
  it.each<Layout>(['long', 'long_case_type', 'wide_specialty'])('says the same of every %s file', (layout) => {
    const list = cannotEstablishOfList(layout).join(' ')
    expect(list).toContain('How long this patient would wait')
    expect(list).toContain('How urgent')
    expect(answer(layout)).toContain('Any average')
    expect(answer(layout)).toContain('review appointments')
  })

  it('says of a file without hospitals that it does not tell which hospitals run the specialty', () => {
    expect(answer('wide_specialty')).toContain('Which hospitals run this specialty')
    expect(cannotEstablishOfList('wide_specialty').join(' ')).toContain('Which hospitals run this specialty')
    expect(answer('long')).not.toContain('Which hospitals run this specialty')
  })

  it('says of a file with hospitals that one not listed may still run the specialty', () => {
    expect(answer('long')).toContain('That a hospital not listed does not run the specialty')
    expect(answer('wide_specialty')).not.toContain('a hospital not listed')
  })

  it('says that case types are added up where the file has them', () => {
    expect(answer('long_case_type')).toContain('case types')
    expect(answer('long')).not.toContain('case types')
  })

  it('says first, of an answer without lists, that this is not an absence of people', () => {
    const [first] = cannotEstablishOfAnswer({ layout: 'long', ageGroup: 'Child', hasLists: false })
    expect(first).toContain('no child waits')
    expect(answer('long')).not.toContain('no adult waits')
  })
})
