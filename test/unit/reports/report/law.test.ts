// What the report says of the law: every citation has a source and a day, and none is left that nothing cites.
import { describe, expect, it } from 'vitest'
import { CONTROLS, LAW_AS_OF } from '../../../../src/reports/controls/checklist.ts'
import { CITATIONS, LAW, LAW_EXPECTATIONS, LAW_NOTES } from '../../../../src/reports/report/law.ts'

const PUBLISHERS = ['eur-lex.europa.eu', 'doi.org', 'www.iso.org', 'webstore.iec.ch']

const sourcesOf = (wanted: string): readonly string[] | undefined => CONTROLS.find(({ id }) => id === wanted)?.sources

describe('the citations', () => {
  it('are those of controls, notes and expectations, and no others', () => {
    const cited = [
      ...CONTROLS.flatMap(({ sources }) => sources),
      ...[...LAW_NOTES, ...LAW_EXPECTATIONS].flatMap(({ cites }) => cites),
    ]
    const citations = new Set<string>(cited)
    citations.delete('good practice')
    expect([...citations].toSorted()).toEqual(Object.keys(CITATIONS).toSorted())
  })

  it.each(LAW.citations)('have a publisher, a day of reading and a day of application: $citation', (cited) => {
    expect(PUBLISHERS).toContain(new URL(cited.source).hostname)
    expect(cited.read_on).toBe(LAW_AS_OF)
    expect(cited.applies_from !== null).toBe(!/^(?:ISO|IEC|NIST)/.test(cited.citation))
  })

  it.each([
    ['L5', ['AI Act 19(1)', 'AI Act 26(6)']],
    ['L6', ['GDPR 5(1)(f)', 'GDPR 32']],
    ['M1', ['AI Act 26(5)', 'AI Act 72', 'NIST AI RMF MEASURE 2']],
    ['M2', ['AI Act 10(2)(f)–(g)']],
    ['M3', ['AI Act 26(5)', 'AI Act 73']],
  ])('of %s are %j', (control, sources) => {
    expect(sourcesOf(control)).toEqual(sources)
  })
})

describe('the days', () => {
  it('are those of Article 113, as amended', () => {
    const days = (['AI Act 4', 'AI Act 26(6)', 'AI Act 50(2)', 'AI Act 73'] as const).map(
      (one) => CITATIONS[one].applies_from,
    )
    expect(days).toEqual(['2025-02-02', '2027-12-02', '2026-08-02', '2026-08-02'])
  })

  it('say what of Article 50 is deferred, until when and for whom', () => {
    const note = LAW.notes.find((text) => text.startsWith('Article 50 '))
    expect(note).toMatch(
      /since 2 August 2026\. Only for Article 50\(2\).* providers of systems that were placed on the market before that day have until 2 December 2026/,
    )
  })
})
