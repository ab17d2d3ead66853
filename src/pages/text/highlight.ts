// Divides code into pieces for their colours: strings, numbers, comments, names. It knows the few languages of the pages, and what it
// does not know stays plain: a colour is a help to the eye, and says nothing about the code.

export type Language = 'sh' | 'python' | 'js' | 'json' | 'text'

export type Piece = { kind: 'plain' | 'string' | 'number' | 'comment' | 'name'; text: string }

const STRING = `"(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*'`

const KEYWORDS = {
  sh: 'curl|npx|npm|node|python3?|pip|export|cd|git|jq|cat|for|do|done|if|then|fi',
  python:
    'from|import|def|return|for|in|if|elif|else|with|as|print|await|async|None|True|False|not|and|or|class|raise|try|except',
  js: 'import|from|export|const|let|new|await|async|return|for|of|if|else|function|console|null|true|false|throw|try|catch',
} as const

/** The rules of each language, as the groups of one expression. */
const RULES: Readonly<Record<Language, RegExp | null>> = {
  sh: new RegExp(
    `(?<comment>(?<=^|\\s)#.*)|(?<string>"[^"]*"|'[^']*')|(?<name>(?<=^|[|(&;] ?)(?:${KEYWORDS.sh})\\b)`,
    'gm',
  ),
  python: new RegExp(
    `(?<comment>#.*)|(?<string>[fr]?(?:${STRING}))|(?<number>\\b\\d[\\d._]*\\b)|(?<name>\\b(?:${KEYWORDS.python})\\b)`,
    'g',
  ),
  js: new RegExp(
    `(?<comment>//.*)|(?<string>${STRING}|\`[^\`]*\`)|(?<number>\\b\\d[\\d._]*\\b)|(?<name>\\b(?:${KEYWORDS.js})\\b)`,
    'g',
  ),
  json: /(?<name>"(?:\\.|[^"\\])*"(?=\s*:))|(?<string>"(?:\\.|[^"\\])*")|(?<number>-?\b\d[\d.eE+-]*|\b(?:true|false|null)\b)/g,
  text: null,
}

/** Returns the pieces, whose texts joined are the text. */
export function piecesOf(text: string, language: Language): Piece[] {
  const rules = RULES[language]
  if (rules === null) return [{ kind: 'plain', text }]
  const pieces: Piece[] = []
  let end = 0
  for (const match of text.matchAll(rules)) {
    const { comment, string, number } = match.groups ?? {}
    const kind =
      comment !== undefined ? 'comment' : string !== undefined ? 'string' : number !== undefined ? 'number' : 'name'
    if (match.index > end) pieces.push({ kind: 'plain', text: text.slice(end, match.index) })
    pieces.push({ kind, text: match[0] })
    end = match.index + match[0].length
  }
  if (end < text.length) pieces.push({ kind: 'plain', text: text.slice(end) })
  return pieces
}
