// How text breaks into lines, and blocks over pages.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FONT_PROGRAMS } from '../../../../scripts/pdf/font-programs.ts'
import { drawableText, widthOf } from '../../../../src/reports/pdf/fonts/typeface.ts'
import { breakLines } from '../../../../src/reports/pdf/layout/break-lines.ts'
import { drawTable } from '../../../../src/reports/pdf/layout/draw-table.ts'
import { readPdf, type ReadPdf } from '../../../support/pdf/read-pdf.ts'
import { BOLD, FRAME, openFlow, rowsOf, STYLE, TABLE_STYLE } from '../../../support/pdf/sample-document.ts'
import { runs } from '../../../support/runs.ts'

const linesOf = (text: string, width: number) => breakLines([{ text, type: STYLE }], width)
const shown = (lines: ReturnType<typeof linesOf>): string[] =>
  lines.map(({ pieces }) => pieces.map(({ text }) => text).join(''))

describe('lines', () => {
  it('are broken after a space, which they keep', () => {
    expect(shown(linesOf('one two three', widthOf('regular', 10, 'one two')))).toEqual(['one two ', 'three'])
  })

  it('end where the text has a line feed', () => {
    expect(shown(linesOf('one\n\ntwo', 400))).toEqual(['one', '', 'two'])
  })

  it('break a word that is wider than they are, after a sign if one is near', () => {
    const width = widthOf('regular', 10, 'organisation/long-nam')
    expect(shown(linesOf('organisation/long-name', width))).toEqual(['organisation/long-', 'name'])
    expect(shown(linesOf('a'.repeat(30), widthOf('regular', 10, 'a'.repeat(10)) + 1))).toEqual([
      'a'.repeat(10),
      'a'.repeat(10),
      'a'.repeat(10),
    ])
  })

  it('keep what is of two faces and has no space between together', () => {
    const lines = breakLines(
      [
        { text: 'aaa bb', type: STYLE },
        { text: 'cc', type: BOLD },
      ],
      widthOf('regular', 10, 'aaa bbc'),
    )
    expect(shown(lines)).toEqual(['aaa ', 'bbcc'])
  })

  it('are never wider than they may be, and lose nothing', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'W', 'Á', 'ḃ', '病', '😀', '-', '/', ' ', '\n'),
      maxLength: 80,
    })
    fc.assert(
      fc.property(text, fc.integer({ min: 20, max: 200 }), (whole, width) => {
        const lines = linesOf(whole, width)
        for (const line of lines) expect(line.width).toBeLessThanOrEqual(width + 1e-9)
        const kept = shown(lines).join('').replaceAll(' ', '')
        expect(kept).toBe(drawableText(whole).replaceAll(' ', ''))
      }),
      { numRuns: runs(300) },
    )
  })
})

const tableOf = (count: number): ReadPdf => {
  const { pdf, flow } = openFlow()
  drawTable(flow, rowsOf(count), TABLE_STYLE)
  return readPdf(pdf.finish(FONT_PROGRAMS))
}

/** The rows of the body that begin on each page. */
const rowsByPage = ({ pages }: ReadPdf): number[] =>
  pages.map(({ texts }) => texts.filter(({ mark, text }) => mark !== null && text.startsWith('row ')).length)

describe('a table', () => {
  const table = tableOf(90)

  it('goes on over pages with every row once and in order', () => {
    expect(table.pages.length).toBeGreaterThan(1)
    const heads = table.withTag('TH').filter(({ entries }) => JSON.stringify(entries).includes('"Row"'))
    expect(heads.map(table.textOf)).toEqual(Array.from({ length: 90 }, (_, index) => `row ${index}`))
  })

  it('tells its head once, and shows it on every page', () => {
    const columns = table.withTag('TH').filter(({ entries }) => JSON.stringify(entries).includes('"Column"'))
    expect(columns.map(table.textOf)).toEqual(['Number', 'Square'])
    for (const [index, { texts }] of table.pages.entries()) {
      const head = texts.filter(({ text }) => text === 'Number')
      expect(head.map(({ artifact }) => artifact)).toEqual([index === 0 ? null : 'Pagination'])
    }
  })

  it('leaves no row by itself, however many there are', () => {
    for (let count = 60; count < 84; count++) expect(Math.min(...rowsByPage(tableOf(count)))).toBeGreaterThan(1)
  })

  it('begins on the next page rather than with a row or none', () => {
    const { pdf, flow } = openFlow()
    flow.y = FRAME.bottom - 50
    drawTable(flow, rowsOf(40), TABLE_STYLE)
    expect(rowsByPage(readPdf(pdf.finish(FONT_PROGRAMS)))[0]).toBe(0)
  })

  it('breaks a row that no page has room for, and loses no line of it', () => {
    const { pdf, flow } = openFlow()
    const words = Array.from({ length: 3000 }, (_, index) => `word${index}`)
    drawTable(
      flow,
      { columns: [{ head: 'Text', share: 1 }], rows: [['before'], [words.join(' ')], ['after']] },
      TABLE_STYLE,
    )
    const read = readPdf(pdf.finish(FONT_PROGRAMS))
    expect(read.pages.length).toBeGreaterThan(1)
    const cells = read.withTag('TD').map(read.textOf)
    expect(cells).toEqual(['before', words.join(' '), 'after'])
  })
})

describe('a paragraph', () => {
  it('leaves no line by itself at the foot or the head of a page', () => {
    for (let room = 1; room < 8; room++) {
      const { pdf, flow } = openFlow()
      flow.y = FRAME.bottom - room * STYLE.leading
      flow.paragraph('line\n'.repeat(5).trim(), STYLE)
      const counts = readPdf(pdf.finish(FONT_PROGRAMS)).pages.map(({ texts }) => texts.length)
      expect(counts.reduce((sum, count) => sum + count)).toBe(5)
      expect(counts).not.toContain(1)
    }
  })

  it('is one element on however many pages', () => {
    const { pdf, flow } = openFlow()
    flow.paragraph('line\n'.repeat(120), STYLE)
    const read = readPdf(pdf.finish(FONT_PROGRAMS))
    expect(read.withTag('P')).toHaveLength(1)
    expect(new Set(read.withTag('P')[0]?.marks.map(({ page }) => page)).size).toBe(read.pages.length)
  })
})

describe('a heading', () => {
  it('is on the page of what follows it', () => {
    const { pdf, flow } = openFlow()
    flow.y = FRAME.bottom - 40
    flow.heading('H2', 'Head', BOLD, { follows: 60 })
    flow.paragraph('Text', STYLE)
    const [first, second] = readPdf(pdf.finish(FONT_PROGRAMS)).pages
    expect(first?.texts).toEqual([])
    expect(second?.texts.map(({ text }) => text)).toEqual(['Head', 'Text'])
  })
})
