// Rules for test files: each is run by a project of vitest.config.ts, and a page is looked at until it is as expected, because what
// somebody did is seen a moment later.
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

it('every test file is where a project runs it', () => {
  const files = globSync('test/**/*.{test,spec}.*').map((file) => file.replaceAll('\\', '/'))
  expect(files.filter((file) => !/^test\/(unit|e2e|architecture|browser)\/.*\.test\.ts$/.test(file))).toEqual([])
})
