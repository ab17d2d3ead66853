// The API reference page: every operation of the service's own OpenAPI document, to search, link and copy.
import { sendRequest } from '../api/send-request.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useUrlParameters } from '../parts/url-parameters.view.tsx'
import { Field } from '../parts/field-frame.view.tsx'
import { Foldable } from '../parts/foldable.view.tsx'
import { ProblemNotice, Skeleton } from '../parts/answer-notices.view.tsx'
import { Markdown } from '../parts/markdown.view.tsx'
import { showInIsland } from '../parts/island.ts'
import { plural } from '../text/format.ts'
import { inlineReferences } from './inline-references.ts'
import { operationsOf, type ApiDocument, type Operation, collectSchemaNames, schemasOf } from './openapi-document.ts'
import { OperationView } from './operation.view.tsx'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { submitHandler } from '../parts/button.view.tsx'
import '../search/open-search.ts'

export function Reference() {
  const [loaded, again] = useAnswer((signal) => sendRequest<ApiDocument>('GET', '/v1/openapi.json', { signal }), [])
  if (loaded.state === 'loading') return <Skeleton lines={60} />
  if (loaded.state === 'refused') return <ProblemNotice problem={loaded.problem} onRetry={again} />
  return <LoadedReference document={loaded.body} />
}

function LoadedReference({ document }: { document: ApiDocument }) {
  const api = useMemo(() => inlineReferences(document), [document])
  const operations = useMemo(() => operationsOf(api), [api])
  const indexed = useMemo(() => buildSearchIndex(api, operations), [api, operations])
  const [members, change] = useUrlParameters()
  const stored = members.get('q') ?? ''
  const [question, setQuestion] = useState(stored)
  useLayoutEffect(() => setQuestion(stored), [stored])
  const matches = useMemo(() => searchOperations(indexed, question), [indexed, question])
  const named = useNamedOperation(operations)
  const groups = groupsOf(api, operations)
    .map(({ name, description }) => ({ name, description, shown: matches.filter(({ tags }) => tags[0] === name) }))
    .filter(({ shown }) => shown.length > 0)
  return (
    <div class="guided">
      <nav aria-label="Groups of operations" class="no-print">
        <ul>
          {groups.map(({ name, shown }) => (
            <li key={name}>
              <a href={`#${groupId(name)}`}>
                {name} <span class="soft small">{shown.length}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="stack-l">
        <Search
          question={question}
          count={matches.length}
          of={operations.length}
          onType={setQuestion}
          onDone={() => change({ q: question })}
        />
        {question === '' && (
          <section class="stack" aria-label="About the API">
            <Markdown text={api.info.description} />
          </section>
        )}
        {groups.map(({ name, description, shown }) => (
          <section key={name} class="stack" aria-labelledby={groupId(name)}>
            <h2 id={groupId(name)}>{name}</h2>
            <p class="soft">{description}</p>
            <div class="folds">
              {shown.map((operation) => (
                <OperationFold
                  key={operation.operationId}
                  document={api}
                  operation={operation}
                  isNamed={named === operation}
                />
              ))}
            </div>
          </section>
        ))}
      </div>
    </div>
  )
}

/** Returns the document's own groups, then groups that only operations name. */
function groupsOf({ tags }: ApiDocument, operations: readonly Operation[]): ApiDocument['tags'] {
  const names = new Set(operations.flatMap((one) => one.tags.slice(0, 1)))
  for (const { name } of tags) names.delete(name)
  return [...tags, ...[...names].map((name) => ({ name, description: '' }))]
}

const groupId = (tag: string): string => `group-${tag.toLowerCase().replaceAll(' ', '-')}`

type SearchProps = {
  question: string
  count: number
  of: number
  onType: (question: string) => void
  /** Writes the search into the URL. */
  onDone: () => void
}

function Search({ question, count, of, onType, onDone }: SearchProps) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || isTyping(event.target)) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  return (
    <form role="search" class="stack no-print" onSubmit={submitHandler(onDone)}>
      <Field label="Search" hint="An address, a name, a parameter, an error code or a schema. The key / comes here.">
        {(control) => (
          <input
            {...control}
            ref={field}
            type="search"
            autocomplete="off"
            spellcheck={false}
            value={question}
            onInput={({ currentTarget }) => onType(currentTarget.value)}
            onChange={onDone}
          />
        )}
      </Field>
      <p role="status" class="soft small">
        {question === '' ? plural(of, 'operation') : `${plural(count, 'operation')} of ${of}`}
        {count === 0 && '. Try a shorter word, or a part of the address.'}
      </p>
    </form>
  )
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement

function OperationFold(given: { document: ApiDocument; operation: Operation; isNamed: boolean }) {
  const { document, operation, isNamed } = given
  return (
    <Foldable
      id={operation.operationId}
      isOpen={isNamed}
      summary={
        <>
          <span class="method">{operation.method}</span> <code>{operation.path}</code> <h3>{operation.summary}</h3>{' '}
          {operation.deprecated === true && <span class="badge warn">deprecated</span>}
        </>
      }
    >
      {() => <OperationView document={document} operation={operation} />}
    </Foldable>
  )
}

/** Returns the operation that the URL names (`#operationId`) and scrolls to it, or null. */
export function useNamedOperation(operations: readonly Operation[]): Operation | null {
  const [hash, setHash] = useState(location.hash)
  useLayoutEffect(() => {
    const update = (): void => setHash(location.hash)
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  const named = operations.find(({ operationId }) => `#${operationId}` === hash) ?? null
  useLayoutEffect(() => {
    // The element of a group or an operation did not exist yet when the browser looked for it.
    if (hash === '') return
    const place = document.querySelector(`#${CSS.escape(hash.slice(1))}`)
    place?.scrollIntoView()
    place?.querySelector('summary')?.focus({ preventScroll: true })
  }, [hash])
  return named
}

export type SearchEntry = { operation: Operation; words: string }

/** Makes the search index. An operation matches if its texts and schema names contain every word of the query. */
export const buildSearchIndex = (document: ApiDocument, operations: readonly Operation[]): readonly SearchEntry[] =>
  operations.map((operation) => ({ operation, words: wordsOf(document, operation).join('\n').toLowerCase() }))

function wordsOf(document: ApiDocument, operation: Operation): readonly string[] {
  const { method, path, operationId, summary, description = '', tags, parameters = [], responses } = operation
  const names = new Set<string>()
  for (const schema of schemasOf(operation)) collectSchemaNames(document, schema, names)
  return [
    `${method} ${path}`,
    operationId,
    summary,
    description,
    ...tags,
    ...parameters.map(({ name }) => name),
    ...Object.values(responses).map((response) => response.description),
    ...Object.values(responses).flatMap((response) => response['x-error-codes'] ?? []),
    ...Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
    ...names,
  ]
}

export function searchOperations(indexed: readonly SearchEntry[], question: string): readonly Operation[] {
  const searchedWords = question.toLowerCase().split(/\s+/).filter(Boolean)
  return indexed
    .filter(({ words }) => searchedWords.every((word) => words.includes(word)))
    .map(({ operation }) => operation)
}

showInIsland(<Reference />)
