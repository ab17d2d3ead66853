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

export type CodeBlock = { text: string; lang: string }

/** Returns the box. A script adds the copy button to its bar (src/pages/documents/documents.page.tsx). */
export function codeBlock({ text, lang }: CodeBlock): string {
  const language = isLanguage(lang) ? lang : 'text'
  // A command is read and pasted as a whole, so a long line of it wraps.
  const look = language === 'sh' ? 'code wraps' : 'code'
  return `<div class="${look}"><div class="code-bar"><span class="code-title">${TITLES[language]}</span></div>${colouredCode(text, language)}</div>`
}

/** Returns one box for the same call in several languages. Radio buttons choose between them, so that it needs no script. */
export function codeChoices(blocks: readonly CodeBlock[], name: string): string {
  const languages = blocks.map(({ lang }) => (isLanguage(lang) ? lang : 'text'))
  const labels = languages.map(
    (language, at) =>
      `<label><input class="only-read" type="radio" name="${name}"${at === 0 ? ' checked' : ''}>${language === 'sh' ? 'curl' : TITLES[language]}</label>`,
  )
  const choices = blocks.map(
    ({ text }, at) => `<div class="language">${colouredCode(text, languages[at] ?? 'text')}</div>`,
  )
  return `<div class="code languages"><div class="code-bar" role="radiogroup" aria-label="Language">${labels.join('')}</div>${choices.join('')}</div>`
}

function colouredCode(text: string, language: Language): string {
  const code = piecesOf(text, language).map(({ kind, text: piece }) =>
    kind === 'plain' ? escapeHtml(piece) : `<span class="of-${kind}">${escapeHtml(piece)}</span>`,
  )
  return `<pre tabindex="0"><code>${code.join('')}</code></pre>`
}
