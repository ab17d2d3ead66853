// Renders the local mailbox as an HTML page: each mail as plain text, in which only links work. Also finds the links in a text.
import { createHash } from 'node:crypto'
import { escapeHtml } from '../../local-http-server.ts'

export type SentMail = { from: string; to: readonly string[]; subject: string; text: string }

export type ReceivedMail = SentMail & { id: string; receivedAt: string; links: readonly string[] }

/** Matches a link. Its last character is one that does not end a sentence. */
const LINK = /https?:\/\/[!#-;=?-~]{0,2000}[\w/#=&~+-]/g

export type TextPiece = { link: boolean; text: string }

/** Splits a text into links and the texts between them. */
export function splitLinks(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let end = 0
  for (const { 0: link, index } of text.matchAll(LINK)) {
    pieces.push({ link: false, text: text.slice(end, index) }, { link: true, text: link })
    end = index + link.length
  }
  return [...pieces, { link: false, text: text.slice(end) }].filter((piece) => piece.text !== '')
}

export const linksIn = (text: string): string[] => text.match(LINK) ?? []

const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 46rem; margin: 0 auto; padding: 1.5rem }
h1 { font-size: 1.4rem; margin: 0 }
h2 { font-size: 1.1rem; margin: 0 0 .5rem }
.note, dl { color: GrayText }
article { border-top: 1px solid; padding: 1.25rem 0 }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 .75rem; margin: 0 0 .75rem; font-size: .9rem }
dd { margin: 0 }
h2, dd, .text { overflow-wrap: anywhere; unicode-bidi: isolate }
.text { white-space: pre-wrap; margin: 0 }
`

const hash = createHash('sha256').update(STYLE).digest('base64')

/** SECURITY: allows no script, form or frame, and no foreign resource. */
export const MAILBOX_CSP = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

export function renderMailbox(mails: readonly ReceivedMail[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Local mailbox</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Local mailbox</h1>
<p class="note">Everything that Countersign mails on this machine ends here. Nothing leaves, whatever the address. It is kept in
memory until the mailbox stops. Reload the page for what has come since.</p>
<main>
${mails.length === 0 ? '<p>No mail has come yet.</p>' : mails.map(renderMail).join('\n')}
</main>
</body>
</html>
`
}

const renderMail = ({ receivedAt, from, to, subject, text }: ReceivedMail): string => `<article>
<h2>${escapeHtml(subject)}</h2>
<dl>
<dt>To</dt><dd>${escapeHtml(to.join(', '))}</dd>
<dt>From</dt><dd>${escapeHtml(from)}</dd>
<dt>At</dt><dd><time datetime="${escapeHtml(receivedAt)}">${escapeHtml(receivedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'))}</time></dd>
</dl>
<p class="text">${splitLinks(text).map(renderPiece).join('')}</p>
</article>`

const renderPiece = ({ link, text }: TextPiece): string =>
  link ? `<a href="${escapeHtml(text)}" rel="noopener noreferrer">${escapeHtml(text)}</a>` : escapeHtml(text)
