// A report as a reader has it: everything that its JSON says, on pages that nothing leaves, and no more than it says.
import { DECIDES, WRITES_NONE } from '../../../../src/organisation/coverage/surface.ts'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import { FONT_PROGRAMS } from '../../../../scripts/pdf/font-programs.ts'
import { crowdedReport, emptyReport, sampleReport } from '../../../support/pdf/sample-reports.ts'
import { canonicalBytes, canonicalJson } from '../../../../src/evidence/records/canonical-json.ts'
import { drawReport } from '../../../../src/reports/report/drawing/draw-report.ts'
import { CONTROL_STATES } from '../../../../src/reports/controls/control.ts'
import { ComplianceReportSchema } from '../../../../src/reports/report/report.schema.ts'
import { PAGE_WIDTH } from '../../../../src/reports/pdf/pdf-page.ts'
import { readPdf, textIn, type ReadPdf } from '../../../support/pdf/read-pdf.ts'

const report = sampleReport()
const pdf = readPdf(drawReport(report, FONT_PROGRAMS))
const empty = readPdf(drawReport(emptyReport(), FONT_PROGRAMS))
const crowded = readPdf(drawReport(crowdedReport(), FONT_PROGRAMS))

const artifactsOf = ({ pages }: ReadPdf): string[] =>
  pages.map(({ texts }) =>
    texts
      .filter(({ mark }) => mark === null)
      .map(({ text }) => text)
      .join('\n'),
  )

/** The rows of every table, cell by cell. */
const rowsOf = (read: ReadPdf): string[][] => {
  const rows = known.get(read) ?? read.withTag('TR').map(({ kids }) => kids.map(read.textOf))
  known.set(read, rows)
  return rows
}
const known = new Map<ReadPdf, string[][]>()

const rowOf = (read: ReadPdf, first: string): string[] | undefined => rowsOf(read).find(([cell]) => cell === first)

describe('the document', () => {
  it('is the same bytes for the same report, and others for another', () => {
    const bytes = drawReport(report, FONT_PROGRAMS)
    // As it comes back from where it is kept: with its members in another order.
    const kept = JSON.parse(canonicalJson(report)) as typeof report
    expect(bytesToHex(sha256(drawReport(kept, FONT_PROGRAMS)))).toBe(bytesToHex(sha256(bytes)))
    expect(drawReport({ ...report, id: report.id.replace('a62', 'a63') }, FONT_PROGRAMS)).not.toEqual(bytes)
  })

  it('is drawn of reports as the service sends them', () => {
    for (const make of [sampleReport, emptyReport, crowdedReport]) ComplianceReportSchema().parse(make())
  })

  it('shows the hash of the canonical JSON', () => {
    expect(pdf.text).toContain(bytesToHex(sha256(canonicalBytes(report))))
  })

  it('says for how long it and the entry with its hash are kept', () => {
    const days = report.retention.details_days
    expect(pdf.withTag('LBody').map(pdf.textOf).join(' ')).toContain(
      `for ${days} days from when it was made, and the entry no shorter`,
    )
  })

  it('shows which software wrote the log, and which calls leave no entry in it and why', () => {
    const covered = {
      index: 31_007,
      written_at: '2026-09-30T23:58:01.000Z',
      version: '0.1.0',
      source_sha256: '19c276c060115781437d7ecd14feb6042cb8381e8ef9d1c2ef2af37be372045b',
      worker_id: '7b3f9e21',
      operations: DECIDES.map(({ operation }) => operation),
      writes_none: WRITES_NONE.map((row) => Object.assign({ at_least: false }, row, { codes: [...row.codes] })),
    }
    const rows = rowsOf(readPdf(drawReport({ ...report, coverage: [covered] }, FONT_PROGRAMS)))
    const moment = expect.stringContaining('30 September 2026') as string
    expect(rows).toContainEqual(['31,007', moment, '0.1.0, 7b3f9e21', '19c276c060115781…'])
    expect(rows).toContainEqual(['no valid key', 'invalid_api_key', 'nowhere'])
    const limits = ['requests over a limit', 'rate_limit_exceeded', 'refused.budget, refused.rate, at least']
    expect(rows).toContainEqual(limits)
    const whys = WRITES_NONE.map(({ why }) => why)
    expect(rows.flat().filter((cell) => whys.some((why) => why === cell))).toEqual([])
  })

  it('shows the source of each text that is cited, and the day on which it was read', () => {
    const [, source, read] = rowOf(pdf, 'IEC 62304') ?? []
    expect([source?.replaceAll(/\s/g, ''), read]).toEqual([
      'https://webstore.iec.ch/en/publication/6792',
      '26 November 2026',
    ])
  })

  it('shows the signed head as JSON that can be copied', () => {
    const head = pdf
      .withTag('P')
      .map(pdf.textOf)
      .find((text) => text.startsWith('{'))
    expect(JSON.parse(head ?? '')).toEqual(report.tree_head)
  })

  it('begins each page with whose it is, and ends it with which it is of how many', () => {
    for (const [index, texts] of artifactsOf(pdf).entries()) {
      expect(texts).toContain(`Page ${index + 1} of ${pdf.pages.length}`)
      if (index > 0) expect(texts).toContain('Ospidéal Samplach')
    }
  })

  it('has headings of which no level is left out, each section in the bookmarks and the contents', () => {
    const levels = pdf.elements.flatMap(({ tag }) => (/^H[123]$/.test(tag) ? [Number(tag[1])] : []))
    expect(levels[0]).toBe(1)
    for (const [index, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[index - 1] ?? 0) + 1)
    const sections = pdf
      .withTag('H2')
      .map(pdf.textOf)
      .filter((title) => /^\d/.test(title))
    expect(sections.length).toBeGreaterThan(8)
    expect(
      pdf
        .withTag('TOCI')
        .map(pdf.textOf)
        .map((entry) => entry.replace(/\s+\d+$/, '')),
    ).toEqual(sections)
    expect(pdf.bookmarks.map(({ title }) => title)).toEqual(expect.arrayContaining(sections))
  })

  it('leads from its contents to the page that they name', () => {
    for (const entry of pdf.withTag('TOCI').map(pdf.textOf)) {
      const [, title = '', page] = /^(\d+ .*\S)\s+(\d+)$/.exec(entry) ?? []
      const place = pdf.withTag('H2').find((one) => pdf.textOf(one) === title)?.marks[0]
      expect(pdf.pages.findIndex(({ ref }) => ref === place?.page) + 1).toBe(Number(page))
    }
  })

  it.each([
    ['a year', pdf],
    ['no call', empty],
    ['long and foreign names', crowded],
  ])('keeps within its margins: %s', (_, read) => {
    for (const { texts } of read.pages) {
      for (const { text, x, y, width, artifact } of texts) {
        const isFurniture = artifact === 'Pagination'
        expect(x, text).toBeGreaterThanOrEqual(56 - 0.01)
        expect(x + width, text).toBeLessThanOrEqual(PAGE_WIDTH - 56 + 3.5)
        if (!isFurniture) expect(y, text).toBeGreaterThan(60)
      }
    }
  })

  it.each([
    ['a year', pdf],
    ['no call', empty],
    ['long and foreign names', crowded],
  ])('has no two texts over each other: %s', (_, read) => {
    for (const { texts } of read.pages) {
      for (const [index, one] of texts.entries()) {
        const over = texts.slice(index + 1).find((other) => {
          const sameLine = Math.abs(other.y - one.y) < 5
          const overlap = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x)
          return sameLine && overlap > 3
        })
        expect(over && [one.text, over.text]).toBe(undefined)
      }
    }
  })
})

/** The texts of one page, from the first. */
const pageText = (read: ReadPdf, index: number): string =>
  read.pages[index]?.texts.map(({ text }) => text).join('') ?? ''

const HEADINGS = ['To be decided', 'Since the last report', 'The three largest risks', 'How the controls came out']

describe('the first page', () => {
  const failing = sampleReport().controls
  for (const control of failing) if (control.weight > 0) control.state = 'fail'
  const worst = readPdf(
    drawReport(
      {
        ...sampleReport({ controls: failing }),
        trend: report.trend && { ...report.trend, now_failing: failing.map(({ id }) => id) },
        organisation: crowdedReport().organisation,
        demo: true,
      },
      FONT_PROGRAMS,
    ),
  )

  it.each([
    ['a year', pdf],
    ['no call', empty],
    ['all controls fail', worst],
  ])('has the decisions, the trend, the risks and the verdicts, in this order: %s', (_, read) => {
    const text = pageText(read, 0)
    const places = ['Compliance report', ...HEADINGS, 'what this gateway has evidence of'].map((one) =>
      text.indexOf(one),
    )
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
  })

  it('says what is to be decided, by whom and by when, and that the day is a proposal', () => {
    for (const { control, what } of report.decisions)
      expect(rowsOf(pdf).map(([first]) => first)).toContain(`${control}: ${what}`)
    expect(rowOf(pdf, `D1: ${report.decisions[0]?.what}`)?.slice(1)).toEqual(['Owner or admin', '28 November 2026'])
    expect(pdf.text).toContain('a proposal of the service, not a term of law')
    expect(worst.text).toContain('Section 1 has 25 other controls that fail.')
  })

  it('says what changed since the last report, or that there is none', () => {
    expect(pdf.text).toContain(
      'score 52 percent then, 62 percent now. Now passing: P2 Models are restricted to those in use; P5 Runaway use is stopped. Now failing: D1 Calls are routed within Europe.',
    )
    expect(worst.text).toMatch(/Now failing: L1 .*; and \d+ others\./)
    expect(empty.text).toContain('This is the first report')
    const trend = report.trend && { ...report.trend, same_checklist: false }
    const other = readPdf(drawReport({ ...report, trend }, FONT_PROGRAMS))
    expect(other.text).toContain('Not compared: the report of 21 October 2026')
    expect(other.text).not.toContain('Now passing')
  })

  it('has the risks in words, or says that no control fails and how many had data', () => {
    for (const { control, text } of report.risks)
      expect(pdf.withTag('LBody').map(pdf.textOf)).toContain(`${control}: ${text}`)
    const none = readPdf(drawReport({ ...report, decisions: [], risks: [] }, FONT_PROGRAMS))
    expect(pageText(none, 0)).toContain('Nothing: no control fails.')
    expect(pageText(none, 0)).toContain('No control fails. 27 of 30 controls had data')
  })
})

describe('ids', () => {
  const ID = /\b(?:[a-z]{3}_[0-9a-f-]{32,}|tr_[0-9a-f]{32}|aqta-att-\w+|[0-9a-f]{64})|(?:anomaly|disparity|incident):/

  it('are in no text before the last section, which is how to check', () => {
    for (const read of [pdf, empty, crowded]) {
      const last = read.withTag('H2').at(-1)?.marks[0]?.page
      const end = read.pages.findIndex(({ ref }) => ref === last)
      expect(end).toBeGreaterThan(8)
      for (const index of read.pages.keys().take(end)) {
        expect(pageText(read, index)).not.toMatch(ID)
        expect(pageText(read, index)).not.toContain(report.tree_head.public_key)
      }
    }
    expect(rowOf(pdf, 'Report')?.[1]).toBe(report.id)
    expect(rowOf(pdf, 'Organisation')?.[1]).toBe(report.organisation.id)
  })

  it('have names and words in their place, or are counted', () => {
    expect(pdf.text).toContain('ids: old batch key, a key that has ended')
    expect(pdf.text).toContain('made by: owner')
    expect(pdf.text).toContain('current key: the signing key of 1 January 2026')
    expect(pdf.text).toContain('ids: 1 is named in the JSON')
    expect(pdf.text).toContain('Difference: calls that were blocked, cohort: lang-pl')
    expect(rowsOf(pdf).map(([first]) => first)).toContain(
      'Anomaly: failed rate, key: old batch key, since 3 October 2026, 05:00 UTC',
    )
    expect(rowsOf(pdf).some(([, , by]) => by?.startsWith('A former member') === true)).toBe(true)
  })
})

describe('how to check', () => {
  it('says where the verifier and the JSON are, with the address of the service if it is known', () => {
    expect(pdf.text).toContain('countersign-verify.mjs for a terminal')
    expect(pdf.text).toContain('https://countersign.example/verify')
    expect(pdf.text).toContain('GET https://countersign.example/api/compliance/report/{report_id}')
    const unknown = readPdf(drawReport({ ...report, service_origin: null }, FONT_PROGRAMS))
    expect(unknown.text).toContain('open the page /verify of the service in a browser')
    expect(unknown.text).toContain('GET /api/compliance/report/{report_id}')
  })
})

describe('the verdicts', () => {
  it('are counted by state on the first page, and listed for every control in the first section', () => {
    const cover = pageText(pdf, 0)
    for (const state of CONTROL_STATES) {
      const total = report.controls.filter((one) => one.state === state).length
      expect(cover).toMatch(new RegExp(`${total} (?:pass|fail|explained|do not apply|need a person|passes|fails)`))
    }
    for (const { id } of report.controls) expect(pageText(pdf, 2)).toContain(`${id} `)
    const { percent, weight_passed: passed, weight_applicable: whole } = report.score
    expect(cover).toContain(`${passed} of ${whole} by weight, ${percent} percent, rounded down`)
    expect(cover).toContain('27 of 30 controls had data, from 22,310 calls')
  })

  it('tell of each control what it is about, its sources, its weight and how it came out', () => {
    const words = {
      pass: 'passes',
      fail: 'fails',
      stated: 'explained',
      not_applicable: 'does not apply',
      needs_a_person: 'needs a person',
    }
    for (const { id, title, sources, weight, earns, state } of report.controls) {
      const shown = weight === 0 ? '–' : earns ? String(weight) : `(${weight})`
      const row = rowOf(pdf, id)
      expect(row?.slice(0, 4)).toEqual([id, title, sources.join(', '), shown])
      expect(row?.[4]).toContain(words[state])
    }
  })

  it('tell what was asked and found, and what would make a failing control pass', () => {
    for (const { title, state, evidence, would_pass: mend } of report.controls) {
      expect(rowsOf(pdf).some(([, asked]) => asked?.startsWith(title) === true && asked.includes(evidence.query))).toBe(
        true,
      )
      if (state === 'fail')
        expect(
          pdf
            .withTag('LBody')
            .map(pdf.textOf)
            .some((item) => item.includes(mend)),
        ).toBe(true)
    }
    expect(pdf.text).toContain('receipts: 512')
    expect(pdf.text).toContain('and 18 more')
  })

  it('say that there is nothing to judge yet where there were too few calls', () => {
    expect(empty.text).toContain('Nothing to judge yet: 0 of the 100 calls that a percentage needs.')
    expect(empty.text).not.toContain('percent, rounded down')
  })

  it('repeat what people stated, what they looked at, and that none of it raises the score', () => {
    expect(pdf.text).toContain('filed as DPIA-2026-07')
    expect(pdf.text).toContain('Looked at: The signed assessment.')
    expect(pdf.text).toContain('none of it raises the score')
    expect(empty.text).toContain('Nobody has made one.')
  })
})

describe('the numbers', () => {
  it('sum up to what the report says', () => {
    const all = rowsOf(pdf).filter(([first]) => first === 'All')
    const totals = report.usage.totals.requests.toLocaleString('en')
    expect(all.map((row) => row.find((cell) => cell === totals))).toEqual(all.map(() => totals))
    expect(all).toHaveLength(4)
  })

  it('of each day are in the JSON alone, so a year has fewer than 16 pages', () => {
    for (const { date } of report.usage.by_day) expect(rowOf(pdf, date)).toBeUndefined()
    expect(pdf.text).toContain('The values of each day are in the report’s JSON')
    expect(pdf.pages.length).toBeLessThan(16)
  })

  it('are charted, with a text for those who do not see the charts', () => {
    const alts = pdf.withTag('Figure').map(({ entries }) => textIn(entries['Alt']))
    expect(alts).toHaveLength(2)
    expect(alts[0]).toContain(`${report.usage.totals.requests.toLocaleString('en')} in all`)
    expect(alts[1]).toContain(`€${report.usage.totals.cost_eur.toFixed(2)} in all`)
  })

  it('are not made up where there was no call', () => {
    expect(empty.text).toContain('No call was made in the period.')
    expect(empty.withTag('Figure')).toEqual([])
    expect(empty.text).toContain('No approval was asked for in the period.')
    expect(empty.text).toContain('No groups were compared.')
  })

  it('do not say that there was no anomaly where nobody has looked for one', () => {
    const unlooked = readPdf(drawReport({ ...emptyReport(), anomalies: null }, FONT_PROGRAMS))
    expect(empty.text).toContain('None began in the period.')
    expect(unlooked.text).not.toContain('None began in the period.')
    expect(unlooked.text).toContain('Nobody has looked for any: the tier healthcare has no bias detection.')
  })

  it('have an anomaly in one row, its other series too, with digits that tell it from what is usual', () => {
    const [found = expect.fail('there is none')] = report.anomalies ?? []
    const small = { ...found, value: 0.0004, baseline: 0.0001 }
    const anomaly = { ...small, alarms: [small, { ...small, series: 'all' }, { ...small, kind: 'volume' }] }
    const drawn = drawReport({ ...report, anomalies: [anomaly] }, FONT_PROGRAMS)
    const [, series, , ...values] = rowOf(readPdf(drawn), 'failed rate') ?? []
    expect(series).toBe('key: old batch key, also all; volume, key: old batch key')
    expect(values.slice(0, 2)).toEqual(['0.04%', '0.01%'])
    expect(rowOf(pdf, 'failed rate')?.[1]).toBe('key: old batch key')
  })

  it('have each model in its row, however many there are', () => {
    for (let index = 0; index < 300; index++) expect(rowOf(crowded, `provider/model-${index}-of-many`)).toBeDefined()
  })

  it('show names in the three scripts of the Union, and read out those in others', () => {
    expect(crowded.text).toContain('Comhlachas Ospidéal Uí Ḋoṁnaill agus Mhic Ṡuiḃne')
    expect(crowded.text).toContain('Γενικό Νοσοκομείο · Болница „Св. Георги“ · 東京 病院, Limited')
    expect(rowOf(crowded, '退院')).toBeDefined()
  })
})

describe('what a report may not claim', () => {
  it('says as of when its law is, and that it is no advice', () => {
    expect(pdf.text).toContain('The law, as of 26 November 2026: readiness, no legal advice')
    for (const note of report.law.notes) expect(pdf.withTag('LBody').map(pdf.textOf)).toContain(note)
  })

  it('lists what it cannot show, and says of a comparison what that does not say', () => {
    const items = pdf.withTag('LBody').map(pdf.textOf)
    for (const limit of report.cannot_show) expect(items).toContain(limit)
    for (const { cannot_show: limits } of report.bias) for (const limit of limits) expect(pdf.text).toContain(limit)
  })

  it.each([
    ['a year', pdf],
    ['no call', empty],
    ['invented data', crowded],
  ])('never calls anybody compliant, certified or fair: %s', (_, read) => {
    expect(read.text).not.toMatch(/\b(?:is|are|fully) (?:compliant|certified|fair|safe)\b/)
  })

  it('says on every page of invented data that it is invented, and on none of other data', () => {
    for (const texts of artifactsOf(crowded)) expect(texts).toContain('Invented data')
    expect(crowded.text).toContain('The data of this report is invented.')
    for (const texts of artifactsOf(pdf)) expect(texts).not.toContain('nvented')
    expect(pdf.text).not.toContain('nvented')
  })
})

describe('names that are also PDF or XML', () => {
  it('are shown as they are', () => {
    const name = 'A) Tj ET <</S/P>> & <b>\\ \u0007"\u202ex"'
    const drawn = readPdf(drawReport(sampleReport({ organisation: { id: 'org_1', name } }), FONT_PROGRAMS))
    expect(drawn.withTag('P').map(drawn.textOf)).toContain('A) Tj ET <</S/P>> & <b>\\ "x"')
  })
})
