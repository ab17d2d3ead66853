// The page that checks evidence (/verify) with the keys that the service publishes inside, for those who trust it for them: the page's
// policy lets it call nobody, so it could not ask for them.
import type { AttestationKeys } from '../evidence/records/configured-keys.ts'
import { fetchBuiltFile, type BuiltFiles } from '../platform/built-file.ts'
import { publishHistory } from './attestation-keys.routes.ts'

/** Returns the page of the build. @param keys null: no keys are inside, and the page does not offer them */
export async function verifyPage(files: BuiltFiles, keys: AttestationKeys | null): Promise<Response> {
  const page = await fetchBuiltFile(files, '/verify')
  if (keys === null) return page
  // SECURITY: no text in JSON ends the element.
  const list = JSON.stringify(publishHistory(keys)).replaceAll('<', String.raw`\u003c`)
  const { body, headers: storedHeaders } = new HTMLRewriter()
    .on('#published-keys', { element: (element) => void element.setInnerContent(list, { html: true }) })
    .transform(page)
  const headers = new Headers(storedHeaders)
  // They describe the stored page, not this response.
  headers.delete('etag')
  headers.delete('content-length')
  return new Response(body, { headers })
}
