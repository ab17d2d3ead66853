import { describe, expect, it } from 'vitest'
import { accepted, csv, namesOf, WIDE_HEADER, WIDE_ROW } from './published-file.ts'

describe('a file by specialty', () => {
  it('makes one national list a row, without a hospital', () => {
    const dataset = accepted(csv([WIDE_HEADER, WIDE_ROW], { bom: true }))
    expect(dataset).toMatchObject({ layout: 'wide_specialty', hasHospitals: false, archiveDate: '2026-09-24' })
    expect(dataset.specialties).toStrictEqual([
      {
        name: 'Cardiology',
        code: null,
        lists: {
          Adult: [
            {
              hospital: null,
              hospitalCode: null,
              hospitalGroup: null,
              waiting: [
                { band: '0-6 Months', people: 10 },
                { band: '6-12 Months', people: 5 },
                { band: '12-18 Months', people: 2 },
                { band: '18 Months +', people: 1 },
              ],
              total: 18,
            },
          ],
          Child: [],
        },
      },
    ])
    expect(dataset.summary.hospitals).toBe(0)
  })

  it('reads quoted numbers with thousands separators', () => {
    const dataset = accepted(csv([WIDE_HEADER, '24/09/2026,Adult,Cardiology,"1,359","12,000",0,"986,641","1,000,000"']))
    const [list] = dataset.specialties[0]?.lists.Adult ?? []
    expect(list?.waiting.map(({ people }) => people)).toStrictEqual([1359, 12_000, 0, 986_641])
    expect(list?.total).toBe(1_000_000)
  })

  it('keeps a published zero, and a total that the bands do not add up to', () => {
    const dataset = accepted(csv([WIDE_HEADER, '24/09/2026,Child,Urology,4,0,2,0,7']))
    expect(dataset.specialties[0]?.lists.Child[0]).toMatchObject({
      waiting: [{ people: 4 }, { people: 0 }, { people: 2 }, { people: 0 }],
      total: 7,
    })
  })

  it('adds up rows with equal keys, bands and totals alike, and counts the keys', () => {
    const dataset = accepted(
      csv([
        WIDE_HEADER,
        '30/10/2025,Adult,Cardiology,979,13,0,2,994',
        '30/10/2025,Adult,Cardiology,"4,402",107,2,0,"4,511"',
        '30/10/2025,Child,Cardiology,7,1,0,0,9',
      ]),
    )
    expect(dataset.specialties[0]?.lists.Adult).toHaveLength(1)
    expect(dataset.specialties[0]?.lists.Adult[0]).toMatchObject({
      waiting: [{ people: 5381 }, { people: 120 }, { people: 2 }, { people: 2 }],
      total: 5505,
    })
    expect(dataset.summary.keysSummed).toBe(1)
  })

  it('does not count as equal the same row at two archive dates', () => {
    const dataset = accepted(csv([WIDE_HEADER, WIDE_ROW, WIDE_ROW.replace('24/09', '27/08')]))
    expect(dataset.summary.keysSummed).toBe(0)
    expect(dataset.specialties[0]?.lists.Adult[0]?.total).toBe(18)
  })

  it('leaves out the bucket', () => {
    const dataset = accepted(csv([WIDE_HEADER, WIDE_ROW, '24/09/2026,Adult,Small Volume Specialties,1,0,0,0,1']))
    expect(namesOf(dataset)).toStrictEqual(['Cardiology'])
    expect(dataset.summary.bucketsLeftOut).toStrictEqual([{ name: 'Small Volume Specialties', lists: 1, people: 1 }])
  })
})
