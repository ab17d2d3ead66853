// Renders code of a document: a box with a bar that names the language, and colours for strings, numbers, comments and names.
import { escapeHtml } from './escape-html.ts'

type Language = {
  title: string
  /** Each named group is a kind of token: string, number, comment or name. */
  tokens?: RegExp
  /** True for commands: a long line wraps, because it is read and pasted as a whole. */
  wraps?: boolean
}

const SCRIPT_STRINGS = String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${'`'}(?:[^${'`'}\\]|\\[^])*${'`'})`
const NUMBERS = String.raw`(?<number>(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])|\b(?:true|false|null|True|False|None)\b)`
const SCRIPT_NAMES =
  'import|from|export|const|let|new|await|async|function|return|if|else|for|of|in|throw|try|catch|type|as'
const PYTHON_NAMES = 'import|from|def|class|return|if|elif|else|for|in|with|as|try|except|raise|not|and|or|lambda'

const SCRIPT: RegExp = new RegExp(
  String.raw`(?<comment>\/\/.*|\/\*[^]*?\*\/)|${SCRIPT_STRINGS}|${NUMBERS}|(?<name>\b(?:${SCRIPT_NAMES})\b)`,
  'gu',
)

const LANGUAGES: Readonly<Record<string, Language>> = {
  sh: {
    title: 'Terminal',
    tokens: /(?<comment>(?<=^|\s)#.*)|(?<string>"(?:[^"\\]|\\[^])*"|'[^']*')|(?<name>\$\w+|\$\{[^}]*\})/gmu,
    wraps: true,
  },
  json: {
    title: 'JSON',
    tokens: new RegExp(String.raw`(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|${NUMBERS}`, 'gu'),
  },
  js: { title: 'Node', tokens: SCRIPT },
  ts: { title: 'TypeScript', tokens: SCRIPT },
  python: {
    title: 'Python',
    tokens: new RegExp(
      String.raw`(?<comment>#.*)|(?<string>[bfr]?(?:"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))|${NUMBERS}|(?<name>\b(?:${PYTHON_NAMES})\b)`,
      'gu',
    ),
  },
  ini: {
    title: 'Settings',
    tokens: new RegExp(String.raw`(?<comment>^\s*[#;].*)|(?<name>^[\w.-]+(?=\s*=)|^\[.*\])|${NUMBERS}`, 'gmu'),
  },
}

const TEXT: Language = { title: 'Text' }

/** Returns the box. A script adds the copy button to its bar (src/pages/documents/documents.page.tsx). */
export function codeBlock(text: string, lang: string): string {
  const { title, tokens, wraps = false } = LANGUAGES[lang] ?? TEXT
  const code = tokens === undefined ? escapeHtml(text) : highlight(text, tokens)
  return `<div class="code${wraps ? ' wraps' : ''}"><div class="code-bar"><span class="code-title">${title}</span></div><pre tabindex="0"><code>${code}</code></pre></div>`
}

function highlight(text: string, tokens: RegExp): string {
  let html = ''
  let end = 0
  for (const { 0: token, index, groups = {} } of text.matchAll(tokens)) {
    const kind = Object.entries(groups).find(([, value]) => value !== undefined)?.[0]
    html += `${escapeHtml(text.slice(end, index))}<span class="of-${kind}">${escapeHtml(token)}</span>`
    end = index + token.length
  }
  return html + escapeHtml(text.slice(end))
}
