// The search over documents and operations, in a dialog: type, choose with the arrow keys, open with Enter.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Icon } from '../parts/icon.view.tsx'
import { code, file, search as searchIcon } from '../parts/icons.ts'
import { showInFront } from '../parts/island.ts'
import { plural } from '../text/format.ts'
import { loadSearch, termOf, type Match, type Results, type Search } from './search-entries.ts'

/** Opens the search. @param typed the beginning of the query */
export const showSearch = (typed: string): void =>
  showInFront((close) => <SearchDialog typed={typed} onClose={close} />)

type State = { status: 'loading' } | { status: 'failed' } | { status: 'ready'; search: Search }

const NONE: Results = { documents: [], operations: [] }

function SearchDialog({ typed, onClose }: { typed: string; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [state, load] = useSearch()
  const [query, setQuery] = useState(typed)
  const [chosen, setChosen] = useState(0)
  const isAsked = query.trim() !== ''
  const results = useMemo(() => (state.status === 'ready' && isAsked ? state.search(query) : NONE), [state, query])
  const matches = [...results.documents, ...results.operations]
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useLayoutEffect(() => dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }))
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0
    if (event.key !== 'Enter' && (step === 0 || matches.length === 0)) return
    event.preventDefault()
    if (step === 0) dialog.current?.querySelector<HTMLElement>('[aria-selected=true]')?.click()
    else setChosen((chosen + step + matches.length) % matches.length)
  }
  const group = (label: string, shown: readonly Match[], first: number) =>
    shown.length > 0 && (
      <div role="group" aria-label={label}>
        <div class="search-group" aria-hidden="true">
          {label}
        </div>
        {shown.map((match, at) => (
          <Option
            key={match.id}
            match={match}
            id={`search-${first + at}`}
            isChosen={first + at === chosen}
            onPoint={() => setChosen(first + at)}
            onOpen={() => dialog.current?.close()}
          />
        ))}
      </div>
    )
  return (
    <dialog ref={dialog} class="search" aria-label="Search documents and API" onClose={onClose}>
      <div class="search-field">
        <Icon of={searchIcon} />
        <input
          type="text"
          role="combobox"
          aria-label="Search documents and API"
          aria-expanded={matches.length > 0}
          aria-controls="search-results"
          aria-autocomplete="list"
          aria-activedescendant={matches.length > 0 ? `search-${chosen}` : undefined}
          placeholder="Search documents and API"
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
          <button class="copy">Close</button>
        </form>
      </div>
      <div id="search-results" class="search-results" role="listbox" aria-label="Results">
        {group('Documents', results.documents, 0)}
        {group('API', results.operations, results.documents.length)}
      </div>
      {state.status === 'failed' ? (
        <div class="notice bad" role="alert">
          <p>The search could not be loaded.</p>
          <p>
            Check your connection, then try again. You can also look at the list of <a href="/docs">documents</a> or at
            the <a href="/reference">API reference</a>.
          </p>
          <button type="button" class="button" onClick={load}>
            Try again
          </button>
        </div>
      ) : (
        <div class="search-foot">
          <p role="status">{statusOf(state, isAsked ? query.trim() : '', matches.length)}</p>
          <p class="search-keys">
            <kbd>↑</kbd> <kbd>↓</kbd> to move, <kbd>Enter</kbd> to open, <kbd>Esc</kbd> to close
          </p>
        </div>
      )}
    </dialog>
  )
}

function statusOf({ status }: State, query: string, count: number): string {
  if (query === '') return 'Type a word, an error code, or the path of an operation.'
  if (status === 'loading') return 'Loading …'
  if (count === 0) return `Nothing found for “${query}”. Try a shorter word, or another one.`
  return plural(count, 'result')
}

/** Returns the state of the search, which is loaded at once, and a function that loads it again. */
function useSearch(): [State, () => void] {
  const [state, setState] = useState<State>({ status: 'loading' })
  const load = (): void => {
    setState({ status: 'loading' })
    loadSearch().then(
      (search) => setState({ status: 'ready', search }),
      () => setState({ status: 'failed' }),
    )
  }
  useLayoutEffect(load, [])
  return [state, load]
}

type OptionProps = { match: Match; id: string; isChosen: boolean; onPoint: () => void; onOpen: () => void }

const Option = ({ match, id, isChosen, onPoint, onOpen }: OptionProps) => {
  const { kind, href, title, context, excerpt, terms } = match
  return (
    <a
      id={id}
      href={href}
      role="option"
      aria-selected={isChosen}
      tabIndex={-1}
      onPointerMove={isChosen ? undefined : onPoint}
      onClick={onOpen}
    >
      <Icon of={kind === 'document' ? file : code} />
      <span>
        <b>{marked(title, terms)}</b>{' '}
        {context !== '' && (kind === 'document' ? <small>{context}</small> : <code>{context}</code>)}
        {excerpt !== '' && <span class="search-excerpt">{marked(excerpt, terms)}</span>}
      </span>
    </a>
  )
}

/** MiniSearch splits texts at these characters. */
const BETWEEN_WORDS = /([\s\p{Z}\p{P}]+)/u

/** Marks the words of a text that match. */
const marked = (text: string, terms: ReadonlySet<string>): ComponentChildren =>
  text.split(BETWEEN_WORDS).map((piece) => (terms.has(termOf(piece)) ? <mark>{piece}</mark> : piece))
