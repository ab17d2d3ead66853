// What a person sees in the place of an error's JSON: a page (src/pages), with the policy of pages.
import type { AppContext } from './context.ts'

/** Whether a browser is to show the answer as a page. */
export const asksForPage = (c: AppContext): boolean => c.req.header('sec-fetch-dest') === 'document'

/** Whoever followed a link that leads nowhere. */
export async function pageNotFound(assets: Fetcher, url: string): Promise<Response> {
  const { body, headers } = await assets.fetch(new URL('/404', url))
  return new Response(body, { status: 404, headers })
}

type Failure = { status: number; headers: Readonly<Record<string, string>>; message: string; requestId: string }

/** Null where the page cannot be had. */
export async function failurePage(
  assets: Fetcher,
  url: string,
  { status, headers, message, requestId }: Failure,
): Promise<Response | null> {
  const page = await assets.fetch(new URL('/failed', url)).catch(() => null)
  if (page?.ok !== true) return null
  const { body, headers: ofPage } = new HTMLRewriter()
    .on('[data-of=message]', { element: (element) => void element.setInnerContent(message) })
    .on('[data-of=request-id]', { element: (element) => void element.setInnerContent(requestId) })
    .on('[data-shown=failure]', { element: (element) => void element.removeAttribute('hidden') })
    .transform(page)
  const answered = new Headers(ofPage)
  // They are of the page as it is kept.
  answered.delete('etag')
  answered.delete('content-length')
  for (const [name, value] of Object.entries(headers)) answered.set(name, value)
  return new Response(body, { status, headers: answered })
}
