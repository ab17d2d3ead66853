// Finds the entries for a query: sections of documents, and operations of the API. It also has the types of a page's own results.
import MiniSearch, { type Query } from 'minisearch'
import type { IconPaths } from '../parts/icons.ts'
import type { SearchFile } from './search-file.ts'
import { BETWEEN_WORDS, correctWords, isFiller, synonymsOf, termOf } from './search-words.ts'

/** A result of a page's own search: `href` is the address that it opens, `act` what it does. */
export type OwnResult = { title: string; context?: string; icon: IconPaths } & ({ href: string } | { act: () => void })

export type OwnGroup = { label: string; results: readonly OwnResult[] }

export type SearchOptions = {
  /** The words in the empty field. */
  label: string
  /** The sentence below it. */
  hint: string
  /** Loads the code of the page's own search, whose results are shown before API and documents. It is opened with the search. */
  loadOwn?: () => Promise<() => OwnSearch>
}

/**
 * `find` also answers an empty query. It finds more once `whole` has settled. `correct` returns the query with the nearest words of acts
 * and pages; null if they have none near, or nothing for it.
 */
export type OwnSearch = {
  find: (query: string) => readonly OwnGroup[]
  correct: (query: string, isWord: Search['hasWord']) => string | null
  whole: Promise<unknown>
}

type Entry = {
  id: number
  kind: 'document' | 'operation'
  /** The path of its page. */
  href: string
  title: string
  /** The group of a document, the document of a section, or the method and path of an operation. */
  context: string
  /** The name of an operation, such as listKeys, whole and by its words. */
  name: string
  excerpt: string
  words: string
  /** True for the beginning of a document. */
  isWhole: boolean
}

/** `terms`: its words that match, as `termOf` makes them. */
export type Match = Omit<Entry, 'name' | 'words' | 'isWhole'> & { terms: ReadonlySet<string> }

export type Results = { documents: Match[]; operations: Match[] }

export type Search = {
  /** Returns the entries that have every word of the query, best first; if none has them all, the documents that have some. */
  find: (query: string) => Results
  /** Returns the query with the nearest words of the index in the place of those that it lacks; null if one has none near. */
  correct: (query: string) => string | null
  /** True if the whole word is in a document or an operation. */
  hasWord: (word: string) => boolean
}

/** So many that the operations are in sight below them. */
const MOST_DOCUMENTS = 5
const MOST_OPERATIONS = 5

/** What an operation is called. */
const NAMES = ['title', 'context', 'name']

/** Such as policy_blocked, x-aqta-deadline-ms or WaitingListsResponse. */
const IS_CODE = /[-_]|[a-z][A-Z]/

const split = (text: string): readonly string[] => text.split(BETWEEN_WORDS)

const subjectOf = (query: string): readonly string[] => split(query).filter((word) => word !== '' && !isFiller(word))

const subjectTermOf = (word: string): string | null => (isFiller(word) ? null : termOf(word))

/** What was not typed itself counts less, and is not the beginning of a longer word. */
const phraseQuery = (phrase: string): Query => ({
  combineWith: 'AND',
  prefix: false,
  boostTerm: () => 0.25,
  queries: [phrase],
})

/** A query of MiniSearch: each word, or one that means the same. */
const withSynonyms = (query: string, combineWith: 'AND' | 'OR'): Query => ({
  combineWith,
  queries: subjectOf(query).map((word): Query => {
    const same = synonymsOf(word).map(phraseQuery)
    return same.length === 0 ? word : { combineWith: 'OR', queries: [word, ...same] }
  }),
})

export function createSearch(file: SearchFile): Search {
  const entries = entriesOf(file)
  /** How often each term occurs. */
  const terms = new Map<string, number>()
  const index = new MiniSearch<Entry>({
    processTerm: (word) => {
      const term = subjectTermOf(word)
      if (term !== null) terms.set(term, (terms.get(term) ?? 0) + 1)
      return term
    },
    fields: [...NAMES, 'excerpt', 'words'],
    searchOptions: { prefix: true, boost: { title: 4, context: 2 }, processTerm: subjectTermOf },
  })
  index.addAll(entries)
  const isKnown = (word: string): boolean => {
    const term = termOf(word)
    return synonymsOf(word).length > 0 || terms.has(term) || [...terms.keys()].some((one) => one.startsWith(term))
  }
  const find = (query: string): Results => {
    const matching = (kind: Entry['kind'], combineWith: 'AND' | 'OR', fields?: string[]): Match[] =>
      index
        .search(withSynonyms(query, combineWith), {
          filter: ({ id }) => entries[Number(id)]?.kind === kind,
          ...(fields && { fields }),
        })
        .flatMap(({ id, terms: matched }) => {
          const entry = entries[Number(id)]
          return entry === undefined ? [] : [{ ...entry, terms: new Set(matched) }]
        })
        .toSorted((a, b) => Number(isNamed(b, query)) - Number(isNamed(a, query)))
    const documents = matching('document', 'AND')
    // An operation has words of its parameters, schemas and errors too: they count only where somebody types such a code.
    const operations = matching('operation', 'AND', IS_CODE.test(query) ? undefined : NAMES)
    // Parts of an id or a path are no words.
    const isSentence = /\S\s+\S/.test(query) && documents.length + operations.length === 0
    return {
      documents: (isSentence ? matching('document', 'OR') : documents).slice(0, MOST_DOCUMENTS),
      operations: operations.slice(0, MOST_OPERATIONS),
    }
  }
  return {
    find,
    correct: (query) => correctWords(query, isKnown, terms),
    hasWord: (word) => terms.has(termOf(word)),
  }
}

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
    return { id, kind: 'document', href, ...named, name: '', excerpt, words, isWhole: heading === '' }
  })
  const ofOperations = operations.map(([operationId, method, path, summary, words], at): Entry => ({
    id: sections.length + at,
    kind: 'operation',
    href: `/reference/${operationId}`,
    title: summary,
    context: `${method} ${path}`,
    excerpt: '',
    name: `${operationId.replaceAll(/([a-z])([A-Z])/g, '$1 $2')} ${operationId}`,
    words,
    isWhole: false,
  }))
  return [...ofSections, ...ofOperations]
}
