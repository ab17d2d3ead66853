// Puts the sentence about where letters go into a page of the build, because the same build is deployed with any settings.
import { etagWith, fetchBuiltFile } from '../../platform/built-file.ts'
import type { AppContext } from '../../platform/context.ts'
import { etagMatches } from '../../platform/responses.ts'

/** Returns the page, or 304 if the caller has it. @param path from `/` */
export async function fillPage(c: AppContext, path: string, whereLettersGo: string): Promise<Response> {
  const page = await fetchBuiltFile(c.env.ASSETS, path)
  const headers = new Headers(page.headers)
  const etag = etagWith(page, whereLettersGo)
  headers.set('etag', etag)
  // It is the length of the stored page.
  headers.delete('content-length')
  if (etagMatches(c.req.header('if-none-match'), etag)) {
    await page.body?.cancel()
    return new Response(null, { status: 304, headers })
  }
  const { body } = new HTMLRewriter()
    .on('#where-letters-go', { element: (element) => void element.setInnerContent(whereLettersGo) })
    .transform(page)
  return new Response(body, { headers })
}
