// What a page could ask the service by itself, in the name of who has signed in there.
import type { Page } from 'playwright-core'

export async function ask<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
  const init = JSON.stringify({
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  // As text: the policy of the page lets no function of a test in.
  const { status, answer } = await page.evaluate<{ status: number; answer: T }>(
    `fetch(${JSON.stringify(path)}, ${init}).then(async (response) => ({ status: response.status, answer: await response.json() }))`,
  )
  if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
  return answer
}
