// The text of a file that came as data.
import { parseMediaUrl } from './request.ts'

/** The base64 of a file whose type is some text, which is sent as text; null of any other address. */
export function textDataOf(url: string): string | null {
  const media = parseMediaUrl(url)
  return media?.source === 'data' && media.mediaType.startsWith('text/') ? media.base64 : null
}

/** null where it is no UTF-8, or no base64. */
export function decodeText(base64: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(Uint8Array.fromBase64(base64))
  } catch {
    return null
  }
}
