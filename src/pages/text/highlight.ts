// Tells how code is shown: whether a line of it may break, and its pieces for their colours. It knows the few languages of the pages,
// and what it does not know stays plain: a colour is a help to the eye, and says nothing about the code.

export type Language = 'sh' | 'python' | 'js' | 'ts' | 'json' | 'ini' | 'text'

export type Piece = { kind: 'plain' | 'string' | 'number' | 'comment' | 'name'; text: string }

const NUMBER = String.raw`(?<number>(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])|\b(?:true|false|null|True|False|None)\b)`
const SCRIPT_NAMES =
  'import|from|export|const|let|new|await|async|function|return|if|else|for|of|in|throw|try|catch|type|as'
const PYTHON_NAMES = 'import|from|def|class|return|if|elif|else|for|in|with|as|try|except|raise|not|and|or|lambda'

const SCRIPT = new RegExp(
  String.raw`(?<comment>\/\/.*|\/\*[^]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${'`'}(?:[^${'`'}\\]|\\[^])*${'`'})|${NUMBER}|(?<name>\b(?:${SCRIPT_NAMES})\b)`,
  'gu',
)

/** Each group is a kind of piece. */
const RULES: Readonly<Record<Language, RegExp | null>> = {
  sh: /(?<comment>(?<=^|\s)#.*)|(?<string>"(?:[^"\\]|\\[^])*"|'[^']*')|(?<name>\$\w+|\$\{[^}]*\})/gmu,
  python: new RegExp(
    String.raw`(?<comment>#.*)|(?<string>[bfr]?(?:"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))|${NUMBER}|(?<name>\b(?:${PYTHON_NAMES})\b)`,
    'gu',
  ),
  js: SCRIPT,
  ts: SCRIPT,
  json: new RegExp(String.raw`(?<name>"(?:[^"\\]|\\.)*"(?=\s*:))|(?<string>"(?:[^"\\]|\\.)*")|${NUMBER}`, 'gu'),
  ini: new RegExp(String.raw`(?<comment>^\s*[#;].*)|(?<name>^[\w.-]+(?=\s*=)|^\[.*\])|${NUMBER}`, 'gmu'),
  text: null,
}

const KINDS = ['string', 'number', 'comment', 'name'] as const

/** Returns the pieces, whose texts joined are the text. */
export function piecesOf(text: string, language: Language): Piece[] {
  const rules = RULES[language]
  if (rules === null) return [{ kind: 'plain', text }]
  const pieces: Piece[] = []
  let end = 0
  for (const { 0: found, index, groups = {} } of text.matchAll(rules)) {
    if (index > end) pieces.push({ kind: 'plain', text: text.slice(end, index) })
    if (language === 'sh' && /^'[{[]/.test(found)) pieces.push(...quotedJson(found))
    else pieces.push({ kind: KINDS.find((kind) => groups[kind] !== undefined) ?? 'plain', text: found })
    end = index + found.length
  }
  if (end < text.length) pieces.push({ kind: 'plain', text: text.slice(end) })
  return pieces
}

/** Fits a line of the narrowest window, also within members of members. */
const MOST_UNBROKEN = 26

/** Returns true if code within a text stays in one line: a name such as `x-aqta-dropped` is hard to read over two lines. */
export const isUnbroken = (code: string): boolean => code.length <= MOST_UNBROKEN

/** The pieces of JSON between the quotes of a shell, which are of the string's colour. */
const quotedJson = (text: string): Piece[] => [
  { kind: 'string', text: "'" },
  ...piecesOf(text.slice(1, -1), 'json'),
  { kind: 'string', text: "'" },
]
