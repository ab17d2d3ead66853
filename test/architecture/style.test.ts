// The style layer: one sheet, classes only in parts, values from tokens, three widths. The colours are tested in
// page-sources.test.ts.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'

const JOINED = 'src/pages/style/kit.css'
const SHEETS = globSync('src/pages/style/*.css').toSorted()
const WRITERS = globSync(['src/pages/**/*.{ts,tsx,html}', 'scripts/pages/*.ts'])
const PAGES = globSync('src/pages/{app,front,verify,status,entrance}/**/*.{ts,tsx}')

/** Lines of all sheets. */
const MOST_LINES = 3512

const COMMENTS = /\/\*[^]*?\*\//g
const read = (file: string): string => readFileSync(file, 'utf8')
const cssOf = (file: string): string => read(file).replaceAll(COMMENTS, '')
const nameOf = (sheet: string): string => basename(sheet, '.css')
const wordsOf = (text: string): string[] => text.match(/[a-z][\w-]*/gi) ?? []

/** Finds what a page names a class by: an attribute, a member of an element's properties, or a list of classes. */
const NAMES_CLASS = /\bclass(?:Name)?=|\bclass:|\bclassList\b/

/** Distances and sizes of type come from tokens. Tracks may be as wide as they need. */
const DECLARATION =
  /^\s*(?:margin|padding|gap|row-gap|column-gap|inset|top|right|bottom|left|font|border-radius)[\w-]*: ([^;]+);/gm
const FREE = /\b(?:calc|min|max|clamp)\((?:[^()]|\([^()]*\))*\)|(?<![\w.-])-?[12]px\b/g
const LENGTH = /(?<![\w-])-?[\d.]+(?:rem|px)\b/
/** Widths of the window. A part may fold at a width of its own. */
const WIDTH = /(?<=@media[^{]*)\((?:min-|max-)?width\b[^)]*\)/g
const THREE_WIDTHS = /^\(width (?:<|>=) (?:48|64|80)rem\)$/
const IDS = /#(?!(?:page|island|lead|acts)\b)[a-z][\w-]*(?=[^;{}]*\{)/g

/** Returns what a sheet may not have. */
function faultsOf(sheet: string): string[] {
  const css = cssOf(sheet)
  return [
    ...[...css.matchAll(DECLARATION)].flatMap(([all, value = '']) =>
      LENGTH.test(value.replaceAll(FREE, '')) ? [all] : [],
    ),
    ...(css.match(WIDTH) ?? []).filter((width) => !THREE_WIDTHS.test(width)),
    ...(css.match(/!important|prefers-color-scheme|data-theme/g) ?? []),
    ...(css.match(IDS) ?? []),
  ]
}

describe('the sheet', () => {
  it('joins each file once, in a layer', () => {
    const imports = [...read(JOINED).matchAll(/@import '\.\/([\w-]+)\.css'(?: layer\((\w+)\))?;/g)]
    const layers = /@layer ([^;]+);/.exec(read(JOINED))?.[1]?.split(', ') ?? []
    expect(imports.map(([, name = '']) => name).toSorted((one, other) => (one < other ? -1 : 1))).toEqual(
      SHEETS.map(nameOf).filter((name) => name !== 'kit'),
    )
    expect(imports.filter(([, name, layer = '']) => name !== 'fonts' && !layers.includes(layer))).toEqual([])
  })

  it('has no more lines than before', () => {
    const lines = SHEETS.reduce((sum, sheet) => sum + read(sheet).split('\n').length - 1, 0)
    expect(lines).toBeLessThanOrEqual(MOST_LINES)
  })

  it('has only values, widths and selectors that are allowed', () => {
    expect(SHEETS.filter((sheet) => nameOf(sheet) !== 'tokens').flatMap(faultsOf)).toEqual([])
  })

  it('styles each class in one place', () => {
    const parts = SHEETS.filter((sheet) => nameOf(sheet) !== 'print')
    const selectors = parts.flatMap((sheet) => read(sheet).match(/^\S*\.[^{},]+(?= \{$)/gm) ?? [])
    expect(selectors.filter((selector, at) => selectors.indexOf(selector) !== at)).toEqual([])
  })
})

describe('classes', () => {
  const sources = WRITERS.map(read)
  const styled = new Set(SHEETS.flatMap((sheet) => cssOf(sheet).match(/(?<=\.)[a-z][\w-]*(?=[^{};]*\{)/gi) ?? []))

  it('are named by parts, and by no page', () => {
    expect(PAGES.filter((file) => NAMES_CLASS.test(read(file)))).toEqual([])
  })

  it('of the sheet are written somewhere', () => {
    const texts = sources.flatMap((source) => source.match(/"[^"\n]*"|'[^'\n]*'|`[^`]*`/g) ?? [])
    const words = new Set(texts.flatMap(wordsOf))
    // The number or kind of `mark-${kind}` is known at run time only.
    const begun = [...new Set(texts.flatMap((text) => text.match(/[a-z][\w-]*-(?=\$\{)/g) ?? []))]
    expect([...styled].filter((name) => !words.has(name) && !begun.some((part) => name.startsWith(part)))).toEqual([])
  })

  it('that are written are of the sheet, or tests find an element by them', () => {
    const written = sources.flatMap((source) =>
      [...source.matchAll(/(?<![\w-])class="([^"]*)"/g)].flatMap(([, names = '']) =>
        wordsOf(names.replaceAll(/[\w-]*\$\{[^]*?\}/g, '')),
      ),
    )
    const tests = globSync('test/**/*.ts').map(read).join('\n')
    expect([...new Set(written)].filter((name) => !styled.has(name) && !tests.includes(`.${name}`))).toEqual([])
  })
})
