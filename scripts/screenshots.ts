// npm run screenshots: takes the README's pictures again, with invented data.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { launchChromium } from '../test/support/browser/chromium.ts'
import { startFilled, type BrowserService } from '../test/support/browser/service.ts'
import { runCommand } from './command-line.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

const FOLDER = 'docs/images'

const HELP = `Usage: npm run screenshots

Takes the README's pictures again, over invented data, and writes them to ${FOLDER}.

Example:
  npm run screenshots

Exit codes: 0 done, 1 failed, 2 wrong command line.`

type Picture = { name: string; height: number; take: (page: Page, service: BrowserService) => Promise<void> }

const PICTURES: readonly Picture[] = [
  {
    name: 'front-page',
    height: 1320,
    take: async (page, { sandboxKey }) => {
      await page.goto(`/#key=${sandboxKey}`)
      await page.getByRole('button', { name: 'Read the letter' }).click()
      await page.getByRole('heading', { name: 'Published waiting lists' }).waitFor()
      await page.evaluate('scrollTo(0, 0)')
    },
  },
  {
    name: 'dashboard',
    height: 1040,
    take: async (page, { filled }) => {
      await page.goto('/sign-in?to=/app')
      await page.getByLabel('E-mail address').fill(filled.owner.email)
      await page.getByLabel('Password', { exact: true }).fill(filled.owner.password)
      await page.keyboard.press('Enter')
      await page.waitForURL('**/app')
    },
  },
  {
    name: 'verifier',
    height: 1480,
    take: async (page) => {
      await page.goto('/verify')
      await page.getByRole('button', { name: 'Try an invented example' }).click()
      await page.getByRole('button', { name: 'Check it' }).click()
      await page.getByRole('heading', { name: 'Valid', exact: true }).waitFor()
      await page.evaluate('scrollTo(0, 0)')
    },
  },
]

async function takeScreenshots(): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  const { run, service } = await startFilled(await makeTemporaryFolder())
  const browser = await launchChromium()
  try {
    for (const picture of PICTURES) await takeScreenshot(picture, browser, service)
  } finally {
    await browser.close()
    await run.stop()
  }
}

async function takeScreenshot({ name, height, take }: Picture, browser: Browser, service: BrowserService) {
  const context = await browser.newContext({
    baseURL: service.origin,
    colorScheme: 'light',
    reducedMotion: 'reduce',
    locale: 'en-IE',
    viewport: { width: 1280, height },
  })
  const page = await context.newPage()
  await take(page, service)
  await page.waitForLoadState('networkidle')
  const path = join(FOLDER, `${name}.png`)
  await page.screenshot({ path, animations: 'disabled' })
  await context.close()
  console.log(path)
}

process.exitCode = await runCommand(process.argv.slice(2), { help: HELP, options: {}, run: takeScreenshots })
