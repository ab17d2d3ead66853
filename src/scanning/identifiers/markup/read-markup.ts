// Reads a text with markup (JSON, mail, HL7, RTF, HTML, XML, Markdown) in the ways in which it can be read.
import type { Steps } from '../../../platform/computation-steps.ts'
import { readHl7 } from './hl7.ts'
import { readHtml } from './html.ts'
import { readJsonText } from './json-text.ts'
import { readMarkdown } from './markdown.ts'
import { readQuotedPrintable } from './quoted-printable.ts'
import type { Reading } from './reading.ts'
import { readRtf } from './rtf.ts'

/** The surest reading first. `takesPlace`: the first replaces the text as written, whose markup another reading has. */
export type Readings = { readonly readings: readonly Reading[]; readonly takesPlace: boolean }

/** Returns how a text is read in its outermost form. The first reading may have markup too. */
export function* readMarkup(text: string): Steps<Readings> {
  const hasBackslash = text.includes('\\')
  const json = hasBackslash ? yield* readJsonText(text) : undefined
  if (json?.isSure === true) return { readings: [json.reading], takesPlace: true }
  const mail = text.includes('=') ? yield* readQuotedPrintable(text) : undefined
  if (mail?.isSure === true) return { readings: [mail.reading], takesPlace: true }
  const hl7 = hasBackslash || text.includes('|') ? yield* readHl7(text) : []
  if (hl7.length > 0) return { readings: hl7, takesPlace: true }
  const rtf = hasBackslash ? yield* readRtf(text) : undefined
  if (rtf?.isSure === true) return { readings: rtf.readings, takesPlace: true }
  const html = text.includes('<') || text.includes('&lt;') ? yield* readHtml(text) : []
  // The visible text of HTML is read again.
  if (html.length > 0) return { readings: html, takesPlace: true }
  const unsure = [json?.reading, mail?.reading, ...(rtf?.readings ?? []), yield* readMarkdown(text)]
  return { readings: unsure.filter((reading) => reading !== undefined), takesPlace: false }
}
