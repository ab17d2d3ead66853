// Checks the sources of the pages: readable colours from one file, no elements made from text, nothing loaded late.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const STYLES = globSync('src/pages/style/*.css')
const SCRIPTS = globSync('src/pages/**/*.{ts,tsx}')
const TOKENS = 'src/pages/style/tokens.css'

/** Returns the files that match the pattern, without the excepted one. */
const holding = (files: readonly string[], pattern: RegExp, except = ''): string[] =>
  files.filter((file) => file !== except && pattern.test(readFileSync(file, 'utf8')))

describe('the colours', () => {
  const SHEET = readFileSync(TOKENS, 'utf8')

  /** The light and the dark value of a token. */
  function valuesOf(token: string): [light: string, dark: string] {
    const found = new RegExp(`--${token}: (?:light-dark\\((#\\w{6}), (#\\w{6})\\)|(#\\w{6}))`).exec(SHEET)
    const [, light = found?.[3], dark = found?.[3]] = found ?? []
    if (light === undefined || dark === undefined) throw new Error(`there is no --${token}`)
    return [light, dark]
  }

  /** By WCAG 2.2, of 0 to 1: https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
  function luminanceOf(colour: string): number {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = parseInt(colour.slice(at, at + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  function contrastOf(name: string, ground: string, theme: 0 | 1): number {
    const [one = 0, other = 0] = [name, ground].map((token) => luminanceOf(valuesOf(token)[theme]))
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)
  }

  const TEXT = 4.5
  const SHAPE = 3
  const GROUNDS = ['paper', 'surface', 'raised', 'sunken']
  const MEANINGS = ['proof', 'person', 'stop', 'loop', 'slate', 'brand']
  const MARKS = ['passed', 'held', 'blocked', 'suppressed', 'failed', 'stopped'].map((mark) => `chart-${mark}`)
  const CODE = ['ink', 'soft', 'string', 'name', 'number'].map((text) => `code-${text}`)
  const PAIRS: [name: string, grounds: string[], least: number][] = [
    ['ink', [...GROUNDS, ...MEANINGS.map((meaning) => `${meaning}-wash`)], 7],
    ...['ink-2', 'heading', 'heading-2', 'link'].map((name): [string, string[], number] => [name, GROUNDS, TEXT]),
    ['ink-3', ['paper', 'surface', 'raised'], TEXT],
    ...MEANINGS.map((name): [string, string[], number] => [name, [`${name}-wash`, 'paper', 'surface'], TEXT]),
    ['on-brand', ['brand', 'brand-2'], TEXT],
    ...CODE.map((name): [string, string[], number] => [name, ['code', 'code-2'], TEXT]),
    ['control', ['paper', 'surface'], SHAPE],
    ...MARKS.map((name): [string, string[], number] => [name, ['surface'], SHAPE]),
  ]

  it.each(PAIRS)('%s is told from %j', (name, grounds, least) => {
    const contrasts = grounds.flatMap((ground) => ([0, 1] as const).map((theme) => contrastOf(name, ground, theme)))
    expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(least)
  })

  it('are nowhere but in one file', () => {
    expect(holding(STYLES, /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)\(/i, TOKENS)).toEqual([])
  })
})

describe('the scripts', () => {
  it('make no element of text', () => {
    const makers = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySet|srcdoc|\beval\(|new Function/i
    expect(holding(SCRIPTS, makers)).toEqual([])
  })

  it('load little after the page, because a newer version might have taken it away: each says so then', () => {
    expect(holding(SCRIPTS, /(?<!typeof )\bimport\(/).toSorted()).toEqual([
      'src/pages/app/account/account.page.tsx',
      'src/pages/app/account/factor-dialogs.view.tsx',
      'src/pages/app/approvals/decided-request.view.tsx',
      'src/pages/app/calls/call-filters.view.tsx',
      'src/pages/app/compliance/compliance.page.tsx',
      'src/pages/app/evidence/signed-record.view.tsx',
      'src/pages/app/frame/frame.view.tsx',
      'src/pages/app/frame/lacking.view.tsx',
      'src/pages/app/keys/keys.page.tsx',
      'src/pages/app/keys/load-keys.ts',
      'src/pages/app/keys/new-key.view.tsx',
      'src/pages/app/open-page.tsx',
      'src/pages/app/overview/overview.page.tsx',
      'src/pages/app/policies/policies.page.tsx',
      'src/pages/app/policies/rule-list.view.tsx',
      'src/pages/app/session.ts',
      'src/pages/app/settings/settings.page.tsx',
      'src/pages/app/statements/statements.view.tsx',
      'src/pages/front/example-record.view.tsx',
      'src/pages/front/letter-identifiers.ts',
      'src/pages/parts/grid/grid-menu.view.tsx',
      'src/pages/search/open-search.ts',
      'src/pages/verify/detect-document.ts',
      'src/pages/verify/run-check.ts',
    ])
  })

  it('do nothing only after the page is drawn, when somebody may have typed already', () => {
    expect(holding(SCRIPTS, /\buseEffect\b/)).toEqual([])
  })

  it('write numbers and dates in one place', () => {
    expect(holding(SCRIPTS, /\bIntl\.|toLocale\w+\(/, 'src/pages/text/format.ts')).toEqual([])
  })
})

describe('the words', () => {
  const COMMENTS = /\/\*[^]*?\*\/|<!--[^]*?-->|(?<!:)\/\/.*/g

  it('are plain ones', () => {
    const sources = [...SCRIPTS, ...globSync('src/pages/**/*.html')]
    const found = sources.flatMap((file) => {
      const text = readFileSync(file, 'utf8').replaceAll(COMMENTS, '')
      return Array.from(text.matchAll(/whoever|became of|otherwise|\bstands?\b/gi), ([word]) => `${file}: ${word}`)
    })
    expect(found).toEqual([])
  })
})
