// Finds the entries for a query: sections of documents, and operations of the API. It also has the types of a page's own results.
import MiniSearch from 'minisearch'
import type { IconPaths } from '../parts/icons.ts'
import type { SearchFile } from './search-file.ts'

/** A result of a page's own search: `href` is the address that it opens, `act` what it does. */
export type OwnResult = { title: string; context?: string; icon: IconPaths } & ({ href: string } | { act: () => void })

export type OwnGroup = { label: string; results: readonly OwnResult[] }

export type SearchOptions = {
  /** The words in the empty field. */
  label: string
  /** The sentence below it. */
  hint: string
  /** Finds what is shown before documents and API, also for an empty query. */
  find: (query: string) => readonly OwnGroup[]
}

type Entry = {
  id: number
  kind: 'document' | 'operation'
  /** The path of its page. */
  href: string
  title: string
  /** The group of a document, the document of a section, or the method and path of an operation. */
  context: string
  excerpt: string
  words: string
  /** True for the beginning of a document. */
  isWhole: boolean
}

/** `terms`: its words that match, as `termOf` makes them. */
export type Match = Omit<Entry, 'words' | 'isWhole'> & { terms: ReadonlySet<string> }

export type Results = { documents: Match[]; operations: Match[] }

/** Returns the entries that have every word of the query, best first; if none has them all, those that have some. */
export type Search = (query: string) => Results

/** So many that the operations are in sight below them. */
const MOST_DOCUMENTS = 5
const MOST_OPERATIONS = 6

/** The words that a question has around its subject. Most sections have them, and a few lack one by chance. */
const FILLERS: ReadonlySet<string> = new Set(
  (
    'a an and any are as at be been but by can could did do does for from get gets had has have how i if in into is it its ' +
    'may me much must my of on or our shall should that the their them then there these they this to us was we were what ' +
    'when where which who whom whose why will with would you your'
  ).split(' '),
)

export function createSearch(file: SearchFile): Search {
  const entries = entriesOf(file)
  const index = new MiniSearch<Entry>({
    processTerm: (word) => (FILLERS.has(word.toLowerCase()) ? null : termOf(word)),
    fields: ['title', 'context', 'excerpt', 'words'],
    searchOptions: {
      prefix: true,
      // The work for a fuzzy match grows with the square of the word's length.
      fuzzy: (word) => (word.length > 5 && word.length < 30 ? 0.2 : false),
      boost: { title: 4, context: 2 },
      combineWith: 'AND',
    },
  })
  index.addAll(entries)
  return (query) => {
    const whole = index.search(query)
    // Parts of an id or a path are no words.
    const isSentence = /\S\s+\S/.test(query)
    const matches = (whole.length > 0 || !isSentence ? whole : index.search(query, { combineWith: 'OR' }))
      .flatMap(({ id, terms }) => {
        const entry = entries[Number(id)]
        return entry === undefined ? [] : [{ ...entry, terms: new Set(terms) }]
      })
      .toSorted((a, b) => Number(isNamed(b, query)) - Number(isNamed(a, query)))
    const ofKind = (kind: Entry['kind']): Match[] => matches.filter((match) => match.kind === kind)
    return {
      documents: ofKind('document').slice(0, MOST_DOCUMENTS),
      operations: ofKind('operation').slice(0, MOST_OPERATIONS),
    }
  }
}

/** Returns the term of a word: singular and plural are one. */
export const termOf = (word: string): string =>
  word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/([^s])s$/, '$1')

/** True for a document whose title begins with the query, also as its singular or plural. */
function isNamed({ isWhole, title }: Entry, query: string): boolean {
  const begins = (write: (word: string) => string): boolean => {
    const [whole, beginning] = [title, query].map((text) => text.trim().split(/\s+/).map(write).join(' '))
    return whole?.startsWith(beginning ?? '') === true
  }
  return isWhole && (begins((word) => word.toLowerCase()) || begins(termOf))
}

function entriesOf({ documents, sections, operations }: SearchFile): Entry[] {
  const ofSections = sections.map(([at, anchor, heading, excerpt, words], id): Entry => {
    const [name = '', document = '', group = ''] = documents[at] ?? []
    const href = anchor === '' ? `/docs/${name}` : `/docs/${name}#${anchor}`
    const named = heading === '' ? { title: document, context: group } : { title: heading, context: document }
    return { id, kind: 'document', href, ...named, excerpt, words, isWhole: heading === '' }
  })
  const ofOperations = operations.map(([operationId, method, path, summary, words], at): Entry => ({
    id: sections.length + at,
    kind: 'operation',
    href: `/reference/${operationId}`,
    title: summary,
    context: `${method} ${path}`,
    excerpt: '',
    // The name such as listKeys, whole and by its words.
    words: `${operationId.replaceAll(/([a-z])([A-Z])/g, '$1 $2')} ${operationId} ${words}`,
    isWhole: false,
  }))
  return [...ofSections, ...ofOperations]
}
