// A page of the API reference, about one operation: scripts/pages/reference-pages.ts makes its HTML with the operation's part of the
// OpenAPI document inside, so nothing is requested.
import { forgetKeys } from '../api/kept-keys.ts'
import { showIn, showInIsland } from '../parts/island.ts'
import { type ApiDocument, operationsOf, type Operation, type Response } from './openapi-document.ts'
import { enableSearch } from '../search/open-search.ts'
import { OperationView, isGood, type OperationProps } from './operation.view.tsx'
import { useState } from 'preact/hooks'
import { Code, CodeBox, CodeTabs, Tabs, type CodeTab } from '../parts/code-tabs.view.tsx'
import { useUniqueId } from '../parts/field-frame.view.tsx'
import { curlLine, nodeLines, pythonLines } from './request-samples.ts'
import { TryIt } from './try-it.view.tsx'

function OperationCode({ document, operation }: OperationProps) {
  const { origin } = location
  const tabs: readonly CodeTab[] = [
    { name: 'curl', language: 'sh', text: curlLine(document, origin, operation) },
    { name: 'Python', language: 'python', text: pythonLines(document, origin, operation) },
    { name: 'Node', language: 'js', text: nodeLines(document, origin, operation) },
  ]
  return (
    <>
      <CodeTabs title="Request" what="the request" tabs={tabs} />
      <TryIt document={document} operation={operation} />
      <Answers operation={operation} />
    </>
  )
}

/** The refusals that a caller meets first, by what they are worth to know. */
const TELLING = ['402', '403', '429', '409', '404', '422', '400', '401']
const MOST_TELLING = 4

/** The statuses that have a tab: those of success, and the most telling refusals, in their order. */
function shownStatuses(statuses: readonly string[]): readonly string[] {
  const telling = new Set(TELLING.filter((status) => statuses.includes(status)).slice(0, MOST_TELLING))
  return statuses.filter((status) => isGood(status) || telling.has(status))
}

function Answers({ operation }: { operation: Operation }) {
  const id = useUniqueId()
  const statuses = Object.keys(operation.responses)
  const first = shownStatuses(statuses)
  const [chosen, setChosen] = useState(statuses[0] ?? '')
  const response = operation.responses[chosen]
  if (response === undefined) return null
  const text = answerText(operation, response)
  // A status of the menu takes the place of the last tab.
  const tabs = first.includes(chosen) ? first : [...first.slice(0, -1), chosen]
  const others = statuses.filter((status) => !tabs.includes(status))
  return (
    <CodeBox
      title="Response"
      what="the response"
      text={text}
      tabs={
        <>
          <Tabs names={tabs} chosen={chosen} onChoose={setChosen} panel={id} label="Status of the response" />
          {others.length > 0 && (
            <select
              aria-label="More statuses"
              value=""
              onChange={({ currentTarget }) => {
                setChosen(currentTarget.value)
                currentTarget.value = ''
              }}
            >
              <option value="" hidden>
                More
              </option>
              {others.map((status) => (
                <option key={status}>{status}</option>
              ))}
            </select>
          )}
        </>
      }
    >
      <pre id={id} role="tabpanel" tabIndex={0} aria-label={`Example of a response ${chosen}`}>
        <Code text={text} language="json" />
      </pre>
    </CodeBox>
  )
}

function answerText({ summary }: Operation, response: Response): string {
  const [type, content] = Object.entries(response.content ?? {})[0] ?? []
  if (type === undefined) return `No body: ${summary.toLowerCase()}.`
  const { example } = content ?? {}
  if (example === undefined) return `${type}: ${response.description}`
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2)
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- of the same build, which a test checks
const part = JSON.parse(document.querySelector('#operation')?.textContent ?? '{}') as ApiDocument

for (const operation of operationsOf(part)) {
  showInIsland(<OperationView document={part} operation={operation} />)
  showIn('#code', <OperationCode document={part} operation={operation} />)
}
enableSearch()
// Another tab has signed somebody in or out.
new BroadcastChannel('session').addEventListener('message', ({ data }) => {
  if (data === null) forgetKeys()
})
