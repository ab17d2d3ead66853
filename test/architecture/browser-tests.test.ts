// How a page is looked at in tests: until it is so. What somebody did is seen a moment later, on a slow machine a long one.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const READS =
  'allInnerTexts|allTextContents|content|cookies|count|evaluate|getAttribute|innerText|inputValue|is[A-Z]\\w+|textContent'
const LOOKS_ONCE = new RegExp(`expect\\(\\s*await .*\\.(?:${READS})\\(.*`, 'g')

describe('a test in a browser', () => {
  it('looks at no page once only', () => {
    const looks = globSync('test/browser/**/*.ts').flatMap((file) =>
      Array.from(readFileSync(file, 'utf8').matchAll(LOOKS_ONCE), ([look]) => `${file}: ${look}`),
    )
    expect(looks).toEqual([])
  })
})
