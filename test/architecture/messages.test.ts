// Checks the words of error messages and mails: at most two short sentences, with a subject and common verbs.
import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { collectMessageTexts, messageTextsOf } from '../support/message-texts.ts'

/** Each folder with the beginnings of the paths that are left out. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  src: [
    // The pages and the report have labels and longer texts.
    'src/pages/',
    'src/reports/',
    'src/scanning/',
    // The contract has these sentences word for word.
    'src/referral/actions.ts',
    'src/referral/decision.policy.ts',
    'src/referral/waiting-lists/cannot-establish.ts',
    // Models read these, not people.
    'src/referral/readers/reader-prompt.ts',
    'src/referral/examples/',
  ],
  scripts: [
    // Texts of documents, of providers and of invented people.
    'scripts/pages/',
    'scripts/document/',
    'scripts/emulator/',
    'scripts/eval/invented',
    'scripts/local/demo-year/',
    // The greeting is a list.
    'scripts/local/start-message.ts',
    // The contract has these sentences word for word.
    'scripts/contract/allowed-sentences.ts',
  ],
}

const MOST_SENTENCES = 2

/** Names of routes, headers and members are words too. */
const MOST_WORDS = 22

const FIRST_WORDS = /^(?:Of|What|Who|Whoever|Where|Whether|That|Once|None|Beside|Else)\b/

const WORDS = [
  /\b(?:is|are|was|were) told\b|\bas told\b/i,
  /\b(?:became of|let in|anew|belong together|whoever|none of (?:ours|those|these))\b/i,
  /\b(?:gives? back|comes? to|lacks?|lacking)\b/i,
  /\b(?:stands?|holds)\b/i,
  /\b(?:he|she|it|they|this|that|these) (?:is|are) no (?!longer)/i,
  /\bhas not (?:the|just|as)\b/i,
]

const sentencesOf = (text: string): string[] => text.split(/(?<=[.?!])\s+(?=[A-Z…“])|\n{2,}/)

const wordsOf = (sentence: string): string[] => sentence.split(/\s+/).filter((word) => /[\w…]/.test(word))

/** Returns why the text is refused; empty if it is fine. */
function faultsOf({ text, isMessage }: { text: string; isMessage: boolean }): string[] {
  const paragraphs = text.split(/\n{2,}/)
  const sentences = paragraphs.flatMap(sentencesOf)
  return [
    ...(paragraphs.some((paragraph) => sentencesOf(paragraph).length > MOST_SENTENCES) ? ['too many sentences'] : []),
    ...(sentences.some((sentence) => wordsOf(sentence).length > MOST_WORDS) ? ['a long sentence'] : []),
    ...(sentences.some((sentence) => FIRST_WORDS.test(sentence)) ? ['an unclear first word'] : []),
    ...(WORDS.some((pattern) => pattern.test(text)) ? ['a rare word'] : []),
    ...(isMessage && !/[.?!…]$/.test(text) ? ['no full stop'] : []),
  ]
}

describe('a message', () => {
  it.each([
    ['The body is empty. Send one JSON object.', []],
    ['Wrong e-mail address or password.', []],
    ['One. Two. Three.', ['too many sentences']],
    [`The body ${'very '.repeat(MOST_WORDS)}long.`, ['a long sentence']],
    ['Of one that is gone, nothing is kept.', ['an unclear first word']],
    ['The key is gone. Whoever made it is not.', ['an unclear first word', 'a rare word']],
    ['The address and the password do not belong together.', ['a rare word']],
    ['This is no label.', ['a rare word']],
    ['Send the text', ['no full stop']],
  ])('%s', (text, faults) => {
    expect(faultsOf({ text, isMessage: true })).toEqual(faults)
  })

  it('is found in an error, a table, a template and a concatenation, and not in what describes the API', () => {
    const source = `
      import { sql } from './A file with spaces.'
      const TEXTS = { gone: 'It is gone. Make another.', rule: 'in lower case.' }
      const long = 'This is one ' + \`text of \${count} parts.\`
      throw new AppError('not_found', isKey ? \`No \${what}\` : 'Nothing here')
      throw new UsageError('name a file', 'Another sentence.')
      throw new TypeError('not a label')
      add({ 200: 'It is done.', description: 'What is done.', reads: z.string().meta({ title: 'A title of it.' }) })
    `
    expect(messageTextsOf('read.ts', source).map(({ text, isMessage }) => [text, isMessage])).toEqual([
      ['It is gone. Make another.', false],
      ['in lower case.', false],
      ['This is one text of … parts.', false],
      ['No …', true],
      ['Nothing here', true],
      ['name a file', true],
      ['Another sentence.', false],
    ])
  })
})

describe.each(Object.entries(FOLDERS))('the messages and mails in %s', (folder, except) => {
  // Files of words have the labels and longer texts of pages.
  const texts = collectMessageTexts(folder, except).filter(({ file }) => !file.endsWith('.words.ts'))

  it('are found', () => {
    expect(texts.length).toBeGreaterThan(150)
  })

  it('say what is wrong and what to do, in at most two short sentences', () => {
    const refused = texts.flatMap((found) =>
      faultsOf(found).map((fault) => `${found.file}:${found.line}: ${fault}: ${found.text}`),
    )
    expect(refused).toEqual([])
  })
})

it('the errors in the transcripts have at most two sentences, values included', () => {
  const lines = globSync('test/fixtures/golden/transcript/**/*.txt').flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/^[45]\d\d [^:\n]*\b[a-z]+_[a-z_]+\b[^:\n]*: (.+?)(?: \[.*\])?$/gm),
      ([, text = '']) => text,
    ),
  )
  expect(lines.length).toBeGreaterThan(100)
  expect(lines.filter((text) => sentencesOf(text).length > MOST_SENTENCES)).toEqual([])
})
