// The search over documents, operations and what a page adds, in a dialog: type, choose with the arrow keys, open with Enter.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ADDRESS } from 'virtual:search-index'
import { answered, type Answer } from '../api/send-request.ts'
import { UNREADABLE_ANSWER, useAnswer } from '../api/use-answer.ts'
import { Button } from '../parts/button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { code, file, search as searchIcon, type IconPaths } from '../parts/icons.ts'
import { showInFront } from '../parts/island.ts'
import { Notice } from '../parts/page-blocks.view.tsx'
import { plural } from '../text/format.ts'
import {
  createSearch,
  termOf,
  type Match,
  type OwnResult,
  type Results,
  type Search,
  type SearchOptions,
} from './search-entries.ts'
import type { SearchFile } from './search-file.ts'

/** Opens the search. @param typed the beginning of the query */
export const showSearch = (typed: string, options: SearchOptions) =>
  showInFront((close) => <SearchDialog typed={typed} options={options} onClose={close} />)

const NONE: Results = { documents: [], operations: [] }

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

type DialogProps = { typed: string; options: SearchOptions; onClose: () => void }

function SearchDialog({ typed, options: { label, hint, find }, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const [loaded, load] = useAnswer(loadSearch, [])
  const [query, setQuery] = useState(typed)
  const [chosen, setChosen] = useState(0)
  const isAsked = query.trim() !== ''
  const results = useMemo(() => (loaded.state === 'answered' && isAsked ? loaded.body(query) : NONE), [loaded, query])
  const groups = [
    ...find(query).map(({ label: name, results: own }) => [name, own.map(ownResult)] as const),
    ['Documents', results.documents.map(indexedResult)] as const,
    ['API', results.operations.map(indexedResult)] as const,
  ]
  const matches = groups.flatMap(([, shown]) => shown)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useLayoutEffect(() => dialog.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }))
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0
    if (event.key !== 'Enter' && (step === 0 || matches.length === 0)) return
    event.preventDefault()
    if (step === 0) dialog.current?.querySelector<HTMLElement>('[aria-selected=true]')?.click()
    else setChosen((chosen + step + matches.length) % matches.length)
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
      <div class="bar row" data-gap="2" data-single>
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
      <div id="search-results" role="listbox" aria-label="Results">
        {groups.map(([name, shown]) => group(name, shown))}
      </div>
      {loaded.state === 'refused' ? (
        <Notice tone="bad" role="alert" title="The search could not be loaded.">
          <p>
            Check your connection, then try again. You can also look at the list of <a href="/docs">documents</a> or at
            the <a href="/reference">API reference</a>.
          </p>
          <Button onClick={load}>Try again</Button>
        </Notice>
      ) : (
        <div class="bar row between soft small">
          <p role="status">{isAsked ? statusOf(loaded.state === 'loading', query.trim(), matches.length) : hint}</p>
          <p class="wide-only">
            <kbd>↑</kbd> <kbd>↓</kbd> to move, <kbd>Enter</kbd> to open, <kbd>Esc</kbd> to close
          </p>
        </div>
      )}
    </dialog>
  )
}

function statusOf(isLoading: boolean, query: string, count: number): string {
  if (isLoading) return 'Loading …'
  if (count === 0) return `Nothing found for “${query}”. Try a shorter word, or another one.`
  return plural(count, 'result')
}

async function loadSearch(signal: AbortSignal): Promise<Answer<Search>> {
  const response = await fetch(ADDRESS, { signal })
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
  id: title,
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

/** MiniSearch splits texts at these characters. */
const BETWEEN_WORDS = /([\s\p{Z}\p{P}]+)/u

/** Marks the words of a text that match. */
const marked = (text: string, terms: ReadonlySet<string>): ComponentChildren =>
  text.split(BETWEEN_WORDS).map((piece) => (terms.has(termOf(piece)) ? <mark>{piece}</mark> : piece))
