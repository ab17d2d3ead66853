// The colours of the pages (style/tokens.css) can be told from their grounds, in both themes: WCAG 2.2, 1.4.3 and 1.4.11.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const SHEET = readFileSync('src/pages/style/tokens.css', 'utf8')

type Theme = 'light' | 'dark'

/** The channels of a token, from 0 to 255. */
function channelsOf(token: string, theme: Theme): number[] {
  const found = new RegExp(`--${token}: (?:light-dark\\(#(\\w{6}), #(\\w{6})\\)|#(\\w{6}))`).exec(SHEET)
  const hex = found?.[3] ?? found?.[theme === 'light' ? 1 : 2]
  if (hex === undefined) throw new Error(`there is no --${token}`)
  return [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminanceOf(token: string, theme: Theme): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(token, theme).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrastOf(one: string, other: string, theme: Theme): number {
  const [dark = 0, light = 0] = [luminanceOf(one, theme), luminanceOf(other, theme)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const GROUNDS = ['paper', 'surface', 'raised', 'sunken']
const MEANINGS = ['proof', 'person', 'stop', 'loop', 'slate', 'brand']

/** Text on what it stands on. */
const TEXTS = [
  ...['ink', 'ink-2', 'heading', 'heading-2', 'link'].flatMap((text) => GROUNDS.map((ground) => [text, ground])),
  ...['paper', 'surface', 'raised'].map((ground) => ['ink-3', ground]),
  ...MEANINGS.flatMap((meaning) => [`${meaning}-wash`, 'surface', 'paper'].map((ground) => [meaning, ground])),
  ['ink', 'brand-wash'],
  ['on-brand', 'brand'],
  ['on-brand', 'brand-2'],
  ...['ink', 'soft', 'string', 'name', 'number'].flatMap((text) =>
    ['code', 'code-2'].map((on) => [`code-${text}`, on]),
  ),
]

const MARKS = ['passed', 'held', 'blocked', 'suppressed', 'failed'].map((mark) => `chart-${mark}`)

describe.each(['light', 'dark'] as const)('in the %s theme', (theme) => {
  it('text has a contrast of 4.5', () => {
    const faint = TEXTS.filter(([text = '', ground = '']) => contrastOf(text, ground, theme) < 4.5)
    expect(faint).toEqual([])
  })

  it('what is pressed, and the marks of charts, have a contrast of 3', () => {
    const faint = ['control', ...MARKS].filter((mark) => contrastOf(mark, 'surface', theme) < 3)
    expect(faint).toEqual([])
  })
})
