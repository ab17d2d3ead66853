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
  const declared = readFileSync(TOKENS, 'utf8').matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g)
  const colours = new Map([...declared].map(([, name = '', light = '', dark = '']) => [name, [light, dark] as const]))

  /** By WCAG 2.2, of 0 to 1. */
  function luminanceOf(colour: string): number {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = parseInt(colour.slice(at, at + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  function contrastOf(name: string, ground: string, theme: 0 | 1): number {
    const [one, other] = [name, ground].map((token) => luminanceOf(colours.get(token)?.[theme] ?? '#808080'))
    return (Math.max(one ?? 0, other ?? 0) + 0.05) / (Math.min(one ?? 0, other ?? 0) + 0.05)
  }

  const TEXT = 4.5
  const SHAPE = 3
  const GROUNDS = ['paper', 'surface', 'sunken']
  const SERIES = ['series-1', 'series-2', 'series-3', 'series-4']
  const PAIRS: [name: string, grounds: string[], least: number][] = [
    ['ink', GROUNDS, 7],
    ['ink-soft', GROUNDS, TEXT],
    ['accent', [...GROUNDS, 'accent-wash'], TEXT],
    ['on-accent', ['accent'], TEXT],
    ['good', [...GROUNDS, 'good-wash'], TEXT],
    ['warn', [...GROUNDS, 'warn-wash'], TEXT],
    ['bad', [...GROUNDS, 'bad-wash'], TEXT],
    ['ink', ['accent-wash', 'good-wash', 'warn-wash', 'bad-wash'], 7],
    ['line-strong', GROUNDS, SHAPE],
    ...SERIES.map((name): [string, string[], number] => [name, GROUNDS, SHAPE]),
  ]

  it.each(PAIRS)('%s is told from %j', (name, grounds, least) => {
    const contrasts = grounds.flatMap((ground) => ([0, 1] as const).map((theme) => contrastOf(name, ground, theme)))
    expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(least)
  })

  it('are nowhere but in one file', () => {
    expect(holding(STYLES, /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)\((?!0 0 0)/i, TOKENS)).toEqual([])
  })
})

describe('the scripts', () => {
  it('make no element of text', () => {
    const makers = /innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySet|srcdoc|\beval\(|new Function/i
    expect(holding(SCRIPTS, makers)).toEqual([])
  })

  it('load nothing after the page, which a newer version might have taken away', () => {
    expect(holding(SCRIPTS, /\bimport\(/)).toEqual([])
  })

  it('do nothing only after the page is drawn, when somebody may have typed already', () => {
    expect(holding(SCRIPTS, /\buseEffect\b/)).toEqual([])
  })

  it('write numbers and dates in one place', () => {
    expect(holding(SCRIPTS, /\bIntl\.|toLocale\w+\(/, 'src/pages/text/format.ts')).toEqual([])
  })
})
