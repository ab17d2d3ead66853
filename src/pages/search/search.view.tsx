// The search over documents, operations and what a page adds, in a dialog: type, choose with the arrow keys, open with Enter.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ADDRESS } from 'virtual:search-index'
import { answered, type Answer } from '../api/send-request.ts'
import { UNREADABLE_ANSWER, useAnswer } from '../api/use-answer.ts'
import { Button } from '../parts/button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { book, code, file, search as searchIcon, type IconPaths } from '../parts/icons.ts'
import { showInFront } from '../parts/island.ts'
import { Notice } from '../parts/page-blocks.view.tsx'
import { plural } from '../text/format.ts'
import {
  createSearch,
  type Match,
  type OwnResult,
  type OwnSearch,
  type Search,
  type SearchOptions,
} from './search-entries.ts'
import { isPlain } from './open-search.ts'
import type { SearchFile } from './search-file.ts'
import { BETWEEN_WORDS, termOf } from './search-words.ts'

/** Opens the search. @param typed the beginning of the query @param own the search of the page itself */
export const showSearch = (typed: string, options: SearchOptions, own: OwnSearch | null) =>
  showInFront((close) => <SearchDialog typed={typed} options={options} own={own} onClose={close} />)

/** A result as it is drawn. `act` is done instead of opening an address. */
type Shown = {
  id: string
  icon: IconPaths
  title: ComponentChildren
  context: ComponentChildren
  excerpt: ComponentChildren
  href?: string
  act?: () => void
}

type DialogProps = { typed: string; options: SearchOptions; own: OwnSearch | null; onClose: () => void }

function SearchDialog({ typed, options: { label, hint }, own, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [loaded, load] = useAnswer(loadSearch, [])
  const [isWhole, setWhole] = useState(false)
  const [query, setQuery] = useState(typed)
  const [chosen, setChosen] = useState(0)
  const search = loaded.state === 'answered' ? loaded.body : null
  const isAsked = query.trim() !== ''
  const { groups, words } = useMemo(() => findAll(query, search, own), [query, search, isWhole])
  useLayoutEffect(() => void own?.whole.finally(() => setWhole(true)), [])
  const matches = groups.flatMap(([, shown]) => shown)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useLayoutEffect(() => dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }))
  const press = (event: KeyboardEvent): void => {
    const last = matches.length - 1
    const next = {
      ArrowDown: chosen < last ? chosen + 1 : 0,
      ArrowUp: chosen > 0 ? chosen - 1 : last,
      Home: 0,
      End: last,
    }[event.key]
    // With Shift or Ctrl these keys are for the text in the field.
    if (event.shiftKey || !isPlain(event) || (event.key !== 'Enter' && (next === undefined || last < 0))) return
    event.preventDefault()
    if (next === undefined) dialog.current?.querySelector<HTMLElement>('[aria-selected=true]')?.click()
    else setChosen(next)
  }
  const group = (name: string, shown: readonly Shown[]) =>
    shown.length > 0 && (
      <div role="group" aria-label={name}>
        <div class="search-group" aria-hidden="true">
          {name}
        </div>
        {shown.map((result) => {
          const at = matches.indexOf(result)
          return (
            <Option
              key={result.id}
              of={result}
              id={`search-${at}`}
              isChosen={at === chosen}
              onPoint={() => setChosen(at)}
              onOpen={() => dialog.current?.close()}
            />
          )
        })}
      </div>
    )
  return (
    <dialog ref={dialog} class="search" aria-label={label} onClose={onClose}>
      <div class="bar stack-s">
        <div class="row" data-gap="2" data-single>
          <Icon of={searchIcon} />
          <input
            type="text"
            role="combobox"
            aria-label={label}
            aria-expanded={matches.length > 0}
            aria-controls="search-results"
            aria-autocomplete="list"
            aria-activedescendant={matches.length > 0 ? `search-${chosen}` : undefined}
            placeholder={label}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            enterkeyhint="go"
            maxLength={200}
            value={query}
            onInput={({ currentTarget }) => {
              setQuery(currentTarget.value)
              setChosen(0)
            }}
            onKeyDown={press}
          />
          <form method="dialog">
            <button class="button copy">Close</button>
          </form>
        </div>
        {loaded.state !== 'refused' && (
          <div class="row between soft small">
            <p role="status">
              {!isAsked ? hint : loaded.state === 'loading' ? 'Loading …' : (words ?? plural(matches.length, 'result'))}
            </p>
            <p class="wide-only">
              <kbd>↑</kbd> <kbd>↓</kbd> to move, <kbd>Enter</kbd> to open, <kbd>Esc</kbd> to close
            </p>
          </div>
        )}
      </div>
      {loaded.state === 'refused' && (
        <Notice tone="bad" role="alert" title="The search could not be loaded.">
          <p>
            Check your connection, then try again. You can also look at the list of <a href="/docs">documents</a> or at
            the <a href="/reference">API reference</a>.
          </p>
          <Button onClick={load}>Try again</Button>
        </Notice>
      )}
      <div id="search-results" role="listbox" aria-label="Results">
        {groups.map(([name, shown]) => group(name, shown))}
      </div>
    </dialog>
  )
}

type Group = readonly [name: string, shown: readonly Shown[]]

/** Where somebody may begin who has found nothing. */
const STARTS: readonly OwnResult[] = [
  { title: 'Docs', context: 'All documents', icon: book, href: '/docs' },
  { title: 'Concepts and glossary', context: 'What each word means', icon: file, href: '/docs/concepts' },
  { title: 'API reference', context: 'All operations', icon: code, href: '/reference' },
]

/**
 * Finds for the query. Mistyped words are read as the nearest ones of acts and pages, or else of the documents, and the answer says so;
 * where those find nothing either, there are places to begin.
 */
function findAll(
  query: string,
  search: Search | null,
  own: OwnSearch | null,
): { groups: readonly Group[]; words?: string } {
  const found = groupsFor(query, search, own)
  const isOwn = own?.find(query).some(({ results }) => results.length > 0) === true
  // Without the words of the documents, a right one could be taken for a mistyped one.
  const corrected =
    isOwn || search === null ? null : (own?.correct(query, (word) => search.hasWord(word)) ?? search.correct(query))
  const near = corrected === null ? [] : groupsFor(corrected, search, own)
  if (isAny(near)) return { groups: near, words: `Nothing for “${query.trim()}”. Showing “${corrected?.trim()}”.` }
  if (isAny(found) || search === null || query.trim() === '') return { groups: found }
  return {
    groups: [['Start here', STARTS.map(ownResult)]],
    words: `Nothing for “${query.trim()}”. Try another word, or start at one of these pages.`,
  }
}

const isAny = (groups: readonly Group[]): boolean => groups.some(([, shown]) => shown.length > 0)

/** So many operations leave what the page itself finds in sight. */
const MOST_BESIDE_OWN = 3

/** In the dashboard documents come last: there one looks for what one can do. */
function groupsFor(query: string, search: Search | null, own: OwnSearch | null): readonly Group[] {
  const { documents, operations } = search?.find(query) ?? { documents: [], operations: [] }
  const ofDocuments: Group = ['Documents', documents.map(indexedResult)]
  const ofApi: Group = ['API', operations.map(indexedResult)]
  if (own === null) return [ofDocuments, ofApi]
  const ownGroups = own.find(query).map(({ label, results }): Group => [label, results.map(ownResult)])
  return [...ownGroups, isAny(ownGroups) ? ['API', ofApi[1].slice(0, MOST_BESIDE_OWN)] : ofApi, ofDocuments]
}

/** What was loaded stays for the next opening. */
let kept: Promise<Answer<Search>> | null = null

async function loadSearch(): Promise<Answer<Search>> {
  kept ??= readSearch().catch(() => UNREADABLE_ANSWER)
  const answer = await kept
  if (answer.outcome === 'refused') kept = null
  return answer
}

async function readSearch(): Promise<Answer<Search>> {
  const response = await fetch(ADDRESS)
  if (!response.ok) return UNREADABLE_ANSWER
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the build of this page made the file
  return answered(createSearch((await response.json()) as SearchFile))
}

type OptionProps = { of: Shown; id: string; isChosen: boolean; onPoint: () => void; onOpen: () => void }

const Option = ({ of: { icon, title, context, excerpt, href, act }, id, isChosen, onPoint, onOpen }: OptionProps) => {
  const shared = {
    id,
    role: 'option',
    'aria-selected': isChosen,
    tabIndex: -1,
    ...(!isChosen && { onPointerMove: onPoint }),
    onClick: () => {
      onOpen()
      act?.()
    },
  } as const
  const content = (
    <>
      <Icon of={icon} />
      <span>
        <b>{title}</b> {context}
        {excerpt !== '' && <span class="soft clamped">{excerpt}</span>}
      </span>
    </>
  )
  return href === undefined ? (
    <div {...shared}>{content}</div>
  ) : (
    <a {...shared} href={href}>
      {content}
    </a>
  )
}

const ownResult = ({ title, context = '', icon, ...to }: OwnResult): Shown => ({
  id: 'href' in to ? `${title} ${to.href}` : title,
  icon,
  title,
  context: <small>{context}</small>,
  excerpt: '',
  ...to,
})

const indexedResult = ({ id, kind, href, title, context, excerpt, terms }: Match): Shown => ({
  id: String(id),
  icon: kind === 'document' ? file : code,
  title: marked(title, terms),
  context: context !== '' && (kind === 'document' ? <small>{context}</small> : <code>{context}</code>),
  excerpt: excerpt === '' ? '' : marked(excerpt, terms),
  href,
})

const marked = (text: string, terms: ReadonlySet<string>): ComponentChildren =>
  text
    .split(new RegExp(`(${BETWEEN_WORDS.source})`, 'u'))
    .map((piece) => (terms.has(termOf(piece)) ? <mark>{piece}</mark> : piece))
