// The mailbox as a page. Whatever a mail says is shown as it is and means nothing.
import { createHash } from 'node:crypto'
import type { KeptMail } from './kept-mails.ts'
import { piecesOf } from './links.ts'

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

/** No script, nothing from elsewhere, no form and no frame. */
export const PAGE_POLICY = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

const CHARACTERS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => CHARACTERS[character] ?? '')

/** Newest first. */
export function renderPage(mails: readonly KeptMail[]): string {
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

const renderMail = ({ receivedAt, from, to, subject, text }: KeptMail): string => `<article>
<h2>${escape(subject)}</h2>
<dl>
<dt>To</dt><dd>${escape(to.join(', '))}</dd>
<dt>From</dt><dd>${escape(from)}</dd>
<dt>At</dt><dd><time datetime="${escape(receivedAt)}">${escape(receivedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC'))}</time></dd>
</dl>
<p class="text">${piecesOf(text).map(renderPiece).join('')}</p>
</article>`

const renderPiece = ({ link, text }: { link: boolean; text: string }): string =>
  link ? `<a href="${escape(text)}" rel="noopener noreferrer">${escape(text)}</a>` : escape(text)
