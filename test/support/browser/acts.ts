// Acts of tests on a page: they change answers, note requests, save files and sign in.
import { readFile } from 'node:fs/promises'
import type { Locator, Page, Route } from 'playwright-core'
import type { Role } from '../../../src/accounts/access/roles.policy.ts'

/** Changes the JSON of the service's own answers. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- callers name the shape of the answer
export const changeAnswers = <Body extends object>(
  page: Page,
  pattern: string | RegExp,
  change: (body: Body) => object,
): Promise<unknown> =>
  page.route(pattern, async (route) => {
    const response = await route.fetch({ maxRetries: 2 })
    await route.fulfill({ response, json: change((await response.json()) as Body) })
  })

/** Changes what the first of these requests gets. With `times`, interception would end while others are on their way, and one may hang. */
function changeFirst(page: Page, pattern: string, change: (route: Route) => Promise<void>): Promise<unknown> {
  let isFirst = true
  return page.route(pattern, (route) => {
    const isChanged = isFirst
    isFirst = false
    return isChanged ? change(route) : route.fallback()
  })
}

export const abortFirst = (page: Page, pattern: string) => changeFirst(page, pattern, (route) => route.abort())

/** Refuses the first of these requests with 401. @param error the code, and members that it has besides */
export const refuseFirst = (page: Page, pattern: string, error: { code: string } & Record<string, unknown>) =>
  changeFirst(page, pattern, (route) =>
    route.fulfill({ status: 401, json: { error: { message: 'Confirm.', request_id: 'req_1', ...error } } }),
  )

/** The dashboard as somebody with another role sees it. The service still goes by the person's own role, which other tests cover. */
export const showRole = (page: Page, role: Role): Promise<unknown> =>
  changeAnswers<{ organisations: object[] }>(page, '**/api/auth/me', (user) => ({
    ...user,
    organisations: user.organisations.map((organisation) => ({ ...organisation, role })),
  }))

/** Notes the path of each request of the page from now on. */
export function pathsOf(page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => paths.push(new URL(request.url()).pathname))
  return paths
}

/** Presses, and returns the file that the browser then saves. */
export async function saved(
  page: Page,
  button: string | Locator,
): Promise<{ name: string; bytes: Buffer; text: string }> {
  const saving = page.waitForEvent('download')
  await (typeof button === 'string' ? page.getByRole('button', { name: button }) : button).click()
  const file = await saving
  const bytes = await readFile(await file.path())
  return { name: file.suggestedFilename(), bytes, text: bytes.toString() }
}

/** Presses, and returns the tab that the browser then opens. */
export async function opened(page: Page, button: string): Promise<Page> {
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: button }).click()
  return opening
}

/** Fills in the form and sends it. */
export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: /^Sign in(?! with)/ }).click()
}
