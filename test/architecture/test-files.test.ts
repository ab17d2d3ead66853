// Rules for test files: each is run by a project of vitest.config.ts, hooks are in the file whose tests they serve, and a page is
// looked at until it is as expected, because what somebody did is seen a moment later.
import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

it('no module beside the tests has hooks: it is loaded once for all the files of a process, and would serve the first alone', () => {
  const setups = readFileSync('vitest.config.ts', 'utf8')
  const hooks = globSync('test/**/*.ts', { exclude: ['test/**/*.test.ts'] }).filter(
    (file) => !setups.includes(file) && /^(?:before|after)(?:Each|All)\(/m.test(readFileSync(file, 'utf8')),
  )
  expect(hooks).toEqual([])
})

describe('the linter', () => {
  it.each([
    ["import { env } from 'cloudflare:test'", 'read.test.ts', true],
    ["import { env } from '../support/unit/session.ts'", 'read.release.test.ts', true],
    ["import { env } from 'cloudflare:test'", 'read.worker.test.ts', false],
    ["import { enumsWith as env } from '../support/unit/enums-with.ts'", 'read.test.ts', false],
  ])('has `%s` in test/unit/%s refused: %s', (line, name, isRefused) => {
    const folder = mkdtempSync(join(tmpdir(), 'linted-'))
    try {
      copyFileSync('.oxlintrc.json', join(folder, '.oxlintrc.json'))
      mkdirSync(join(folder, 'test/unit'), { recursive: true })
      writeFileSync(join(folder, 'test/unit', name), `${line}\nconst all: unknown[] = []\nall.push(env)\n`)
      const command = ['node_modules/oxlint/bin/oxlint', '--config', join(folder, '.oxlintrc.json'), folder]
      const { stdout } = spawnSync(process.execPath, command, { encoding: 'utf8' })
      expect(stdout.includes('A test that needs the runtime')).toBe(isRefused)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
