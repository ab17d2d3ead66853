import { describe, expect, it } from 'vitest'
import { searchPages } from '../../../../src/pages/app/frame/search-pages.ts'

const ORIGIN = 'https://countersign.example'
const UUID = '0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'
const PAGES = [
  { name: 'Keys', address: `${ORIGIN}/app/keys?org=org_1` },
  { name: 'Approvals', address: `${ORIGIN}/app/approvals?org=org_1` },
  { name: 'Audit trail', address: `${ORIGIN}/app/audit` },
]

describe('finding', () => {
  it('finds pages by a part of their name, in their order, and all where nothing is typed', () => {
    expect(searchPages(' a ', PAGES).map(({ name }) => name)).toEqual(['Approvals', 'Audit trail'])
    expect(searchPages('', PAGES)).toEqual(PAGES)
  })

  it('finds what an id stands for, in the organisation of the page', () => {
    expect(searchPages(`KEY_${UUID}`, PAGES)).toEqual([
      { name: `The key key_${UUID}`, address: `${ORIGIN}/app/keys?org=org_1&id=key_${UUID}` },
    ])
    expect(searchPages(UUID, PAGES).map(({ address }) => address)).toEqual([`${ORIGIN}/app/audit?id=${UUID}`])
  })

  it('finds nothing for half an id, another kind of id, and markup', () => {
    for (const text of ['key_0198', `usr_${UUID}`, `key_${UUID}"><img src=x>`])
      expect(searchPages(text, PAGES)).toEqual([])
  })
})
