// The parts of an archive PDF (PDF/A) that no page shows: XMP metadata, Info dictionary, and the sRGB colour profile (ICC).
import { dateString, textString } from './pdf-file.ts'
import { concatBytes } from '@noble/hashes/utils.js'

export type Metadata = {
  title: string
  subject: string
  /** The person or organisation that the document is about. */
  author: string
  /** ISO 8601, in UTC. */
  createdAt: string
  /** The language of the text (BCP 47). */
  language: string
}

const PRODUCER = 'Countersign'

const escapeXml = (value: string): string =>
  value.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const languageAlternative = (value: string): string =>
  `<rdf:Alt><rdf:li xml:lang="x-default">${escapeXml(value)}</rdf:li></rdf:Alt>`

/**
 * Returns the XMP metadata, which declares PDF/A-2, level A, and PDF/UA-1. Includes the schema of PDF/UA, unknown to PDF/A.
 * @see https://www.iso.org/standard/50655.html
 */
export const xmp = ({ title, subject, author, createdAt, language }: Metadata): Uint8Array =>
  new TextEncoder().encode(`<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"
 xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<dc:format>application/pdf</dc:format>
<dc:title>${languageAlternative(title)}</dc:title>
<dc:description>${languageAlternative(subject)}</dc:description>
<dc:creator><rdf:Seq><rdf:li>${escapeXml(author)}</rdf:li></rdf:Seq></dc:creator>
<dc:language><rdf:Bag><rdf:li>${language}</rdf:li></rdf:Bag></dc:language>
<xmp:CreateDate>${utcSecond(createdAt)}</xmp:CreateDate>
<xmp:ModifyDate>${utcSecond(createdAt)}</xmp:ModifyDate>
<xmp:CreatorTool>${PRODUCER}</xmp:CreatorTool>
<pdf:Producer>${PRODUCER}</pdf:Producer>
<pdfaid:part>2</pdfaid:part>
<pdfaid:conformance>A</pdfaid:conformance>
<pdfuaid:part>1</pdfuaid:part>
</rdf:Description>
<rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"
 xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
<pdfaSchema:schema>PDF/UA identification schema</pdfaSchema:schema>
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
<pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
<pdfaProperty:name>part</pdfaProperty:name>
<pdfaProperty:valueType>Integer</pdfaProperty:valueType>
<pdfaProperty:category>internal</pdfaProperty:category>
<pdfaProperty:description>Part of ISO 14289 that the file conforms to</pdfaProperty:description>
</rdf:li></rdf:Seq></pdfaSchema:property>
</rdf:li></rdf:Bag></pdfaExtension:schemas>
</rdf:Description>
</rdf:RDF></x:xmpmeta>
<?xpacket end="r"?>`)

export const infoDictionary = ({ title, subject, author, createdAt }: Metadata): string =>
  `<</Title ${textString(title)}/Subject ${textString(subject)}/Author ${textString(author)}/Creator(${PRODUCER})/Producer(${PRODUCER})` +
  `/CreationDate ${dateString(createdAt)}/ModDate ${dateString(createdAt)}>>`

const utcSecond = (at: string): string => `${at.slice(0, 19)}Z`

const ascii = (value: string): Uint8Array => new TextEncoder().encode(value)

function unsigned32(...values: number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.length * 4))
  for (const [index, value] of values.entries()) view.setUint32(index * 4, value)
  return new Uint8Array(view.buffer)
}

/** Encodes numbers with sixteen bits after the point. */
const fixed = (...values: number[]): Uint8Array =>
  unsigned32(...values.map((value) => Math.round(value * 65_536) >>> 0))

const D50 = [0.9642, 1, 0.8249]

const xyz = (...values: number[]): Uint8Array => concatBytes(ascii('XYZ '), unsigned32(0), fixed(...values))

function unicode(value: string): Uint8Array {
  const utf16 = new Uint8Array(Array.from(value, (character) => [0, character.charCodeAt(0)]).flat())
  // One name, in English of the United States. Its header has 28 bytes.
  return concatBytes(ascii('mluc'), unsigned32(0, 1, 12), ascii('enUS'), unsigned32(utf16.length, 28), utf16)
}

/** The curve of sRGB: a line near black, then a power of 2.4. */
const CURVE = concatBytes(
  ascii('para'),
  unsigned32(0, 3 << 16),
  fixed(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045),
)

const ADAPTATION = concatBytes(
  ascii('sf32'),
  unsigned32(0),
  fixed(1.04788, 0.02292, -0.05022, 0.02959, 0.99048, -0.01707, -0.00925, 0.01508, 0.75168),
)

/** @see https://www.color.org/specification/ICC.1-2022-05.pdf */
export function srgbProfile(): Uint8Array {
  const tags: [name: string, data: Uint8Array][] = [
    ['desc', unicode('sRGB')],
    ['cprt', unicode('No copyright')],
    ['wtpt', xyz(...D50)],
    ['chad', ADAPTATION],
    ['rXYZ', xyz(0.43607, 0.22249, 0.01392)],
    ['gXYZ', xyz(0.38515, 0.71687, 0.09708)],
    ['bXYZ', xyz(0.14307, 0.06061, 0.7141)],
    ['rTRC', CURVE],
    ['gTRC', CURVE],
    ['bTRC', CURVE],
  ]
  const rows: Uint8Array[] = []
  const blocks: Uint8Array[] = []
  let at = 128 + 4 + tags.length * 12
  for (const [name, data] of tags) {
    const padded = new Uint8Array(Math.ceil(data.length / 4) * 4)
    padded.set(data)
    rows.push(ascii(name), unsigned32(at, data.length))
    blocks.push(padded)
    at += padded.length
  }
  return concatBytes(profileHeader(at), unsigned32(tags.length), ...rows, ...blocks)
}

function profileHeader(size: number): Uint8Array {
  const header = new Uint8Array(128)
  const put = (at: number, part: Uint8Array): void => header.set(part, at)
  put(0, unsigned32(size))
  put(8, unsigned32(0x04200000))
  put(12, ascii('mntrRGB XYZ '))
  // A fixed date, because the file's bytes may not depend on the day.
  put(24, new Uint8Array([0x07, 0xea, 0, 1, 0, 1]))
  put(36, ascii('acsp'))
  put(68, fixed(...D50))
  return header
}
