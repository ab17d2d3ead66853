// A file's metadata, in two forms: XMP for the standards, and the dictionary that older readers show.
import { date, text } from './pdf-file.ts'

export type Metadata = {
  title: string
  subject: string
  /** The person or organisation that the document is about. */
  author: string
  /** RFC 3339, in UTC. */
  createdAt: string
  /** The language of the text (BCP 47). */
  language: string
}

const PRODUCER = 'Countersign'

const escaped = (value: string): string =>
  value.toWellFormed().replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const inLanguage = (value: string): string =>
  `<rdf:Alt><rdf:li xml:lang="x-default">${escaped(value)}</rdf:li></rdf:Alt>`

/** Declares PDF/A-2, level A, and PDF/UA-1. The latter's schema is described, because PDF/A does not define it. */
export const xmp = ({ title, subject, author, createdAt, language }: Metadata): Uint8Array =>
  new TextEncoder().encode(`<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
 xmlns:pdf="http://ns.adobe.com/pdf/1.3/" xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/"
 xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
<dc:format>application/pdf</dc:format>
<dc:title>${inLanguage(title)}</dc:title>
<dc:description>${inLanguage(subject)}</dc:description>
<dc:creator><rdf:Seq><rdf:li>${escaped(author)}</rdf:li></rdf:Seq></dc:creator>
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

export const information = ({ title, subject, author, createdAt }: Metadata): string =>
  `<</Title ${text(title)}/Subject ${text(subject)}/Author ${text(author)}/Creator(${PRODUCER})/Producer(${PRODUCER})` +
  `/CreationDate ${date(createdAt)}/ModDate ${date(createdAt)}>>`

const utcSecond = (at: string): string => `${at.slice(0, 19)}Z`
