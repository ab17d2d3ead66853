// Renders code of a document: a box with a bar that names the language, and colours (src/pages/text/highlight.ts).
import { piecesOf, type Language } from '../../src/pages/text/highlight.ts'
import { escapeHtml } from './escape-html.ts'

const TITLES: Readonly<Record<Language, string>> = {
  sh: 'Terminal',
  json: 'JSON',
  js: 'Node',
  ts: 'TypeScript',
  python: 'Python',
  ini: 'Settings',
  text: 'Text',
}

const isLanguage = (lang: string): lang is Language => lang in TITLES

/** Returns the box. A script adds the copy button to its bar (src/pages/documents/documents.page.tsx). */
export function codeBlock(text: string, lang: string): string {
  const language = isLanguage(lang) ? lang : 'text'
  const code = piecesOf(text, language).map(({ kind, text: piece }) =>
    kind === 'plain' ? escapeHtml(piece) : `<span class="of-${kind}">${escapeHtml(piece)}</span>`,
  )
  // A command is read and pasted as a whole, so a long line of it wraps.
  const look = language === 'sh' ? 'code wraps' : 'code'
  return `<div class="${look}"><div class="code-bar"><span class="code-title">${TITLES[language]}</span></div><pre tabindex="0"><code>${code.join('')}</code></pre></div>`
}
