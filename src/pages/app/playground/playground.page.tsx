// The playground: a real call under the policy in force, its answer or refusal, its signed record, and the same call as code.
import { useRef, useState } from 'preact/hooks'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { CodeTabs } from '../../parts/code-tabs.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { EmptyNotice, HeadedCard, PlainList, Remark } from '../../parts/surfaces.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, inOrganisation, callApi, seesAllCalls } from '../session.ts'
import { CallStatus, ComingAnswer, EndedCall, endOf, hasOutcome, NoAnswerYet, type CallState } from './answer.view.tsx'
import { requestOf, type CallRequest, type Draft } from './call-request.ts'
import { codeOf } from '../call-code.ts'
import { keepCall, keepRequest, keptRequest, pastCalls } from './kept-request.ts'
import { isModelAllowed, loadChoices, type Choices } from './load-choices.ts'
import { revokeKeyOnLeave } from './playground-key.ts'
import { RequestForm } from './request-form.view.tsx'
import { sendCall, type CallResult } from './send-call.ts'
import { Halves, Stack, Note, Row } from '../../parts/layout.view.tsx'
import { LinkRow } from '../../parts/link-row.view.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.view.tsx'
import { exactTime } from '../../parts/times.view.tsx'
import { recordStatusOf } from '../../../evidence/records/call-endings.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { handToVerifier } from '../../api/handed-evidence.ts'
import { answered, type Answer } from '../../api/send-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { saveFile } from '../../parts/save-button.view.tsx'
import { formatNumber } from '../../text/format.ts'
import type { SignedCallRecord } from '../evidence/check-receipt-in-browser.ts'
import { SignedRecord } from '../evidence/signed-record.view.tsx'

function Playground() {
  const answer = useAnswer(loadChoices, [])
  return (
    <Answered answer={answer} lines={30}>
      {(choices) => (choices.models.length === 0 ? <NoModels /> : <Desk choices={choices} />)}
    </Answered>
  )
}

const NoModels = () => (
  <EmptyNotice
    title="No model can be called yet"
    action={
      hasPermission('settings:change') ? (
        <a href={inOrganisation('/app/settings?part=providers')}>Choose the providers</a>
      ) : (
        'Ask an owner or admin to choose the providers under Settings'
      )
    }
  >
    Here you write a request, send it to a model under your policy, and see its answer with its cost and its signed
    record. Prompts go only to providers that your organisation has chosen.
  </EmptyNotice>
)

/** Something to send at once, and of nobody. */
const SAMPLE = 'Name three towns.'

function draftOf(choices: Choices, text: string): Draft {
  const useCase = choices.useCases[0] ?? ''
  return {
    model: choices.models.find((model) => isModelAllowed(choices, model, useCase)) ?? choices.models[0] ?? '',
    useCase,
    messages: [{ id: 1, role: 'user', text }],
    parameters: { temperature: '', max_tokens: '300', stream: 'true' },
  }
}

/** The request of before the page was left, as far as its model can still be called. */
function firstDraft(choices: Choices): Draft {
  const kept = keptRequest()
  return kept !== null && choices.models.includes(kept.model) ? kept : draftOf(choices, SAMPLE)
}

function Desk({ choices }: { choices: Choices }) {
  const [draft, setDraft] = useState(() => firstDraft(choices))
  const [isKept, setKept] = useState(true)
  const [state, setState] = useState<CallState>({ step: 'none' })
  const running = useRef<AbortController>(null)
  const isSending = state.step === 'sending'
  // The key that a held call was sent with is lost when the page is left.
  const isHeld = state.step === 'ended' && endOf(state.result) === 'held'
  useUnsavedWarning(isHeld || (!isKept && draft.messages.some(({ text }) => text !== '')))
  const write = (written: Draft): void => {
    setDraft(written)
    setKept(keepRequest(written))
  }
  const clear = (): void => {
    setDraft(draftOf(choices, ''))
    setKept(keepRequest(null))
  }

  const send = async (request: CallRequest, approval = ''): Promise<void> => {
    if (running.current !== null) return
    const controller = new AbortController()
    running.current = controller
    setState({ step: 'sending', text: '' })
    const onText = (text: string): void => setState({ step: 'sending', text })
    const result = await sendCall(request, { approval, signal: controller.signal, onText })
    running.current = null
    const outcome = endOf(result)
    const { recordId: id } = result
    const at = new Date().toISOString()
    if (id !== null && hasOutcome(outcome)) keepCall({ id, outcome, model: request.body.model, at })
    setState({ step: 'ended', result, at: Date.now() })
  }

  return (
    <Halves>
      <RequestForm
        draft={draft}
        onDraft={write}
        choices={choices}
        isSending={isSending}
        onSend={() => void send(requestOf(draft))}
        onStop={() => running.current?.abort()}
        onClear={clear}
      />
      <Stack as="section" label="Result">
        <CallStatus state={state} />
        {state.step === 'none' && (
          <>
            <NoAnswerYet />
            <PastCalls />
          </>
        )}
        {state.step === 'sending' && <ComingAnswer text={state.text} />}
        {state.step === 'ended' && (
          <>
            <EndedCall
              key={state.at}
              result={state.result}
              onApproved={(approval) => void send(state.result.request, approval)}
            />
            {state.result.recordId !== null && (
              <CallRecord key={state.result.recordId} id={state.result.recordId} result={state.result} />
            )}
          </>
        )}
      </Stack>
      <CodeTabs title="The same call" what="the call" tabs={codeOf(requestOf(draft))} />
    </Halves>
  )
}

function PastCalls() {
  const calls = pastCalls()
  if (calls.length === 0) return null
  return (
    <HeadedCard title="Your last calls in this tab" isList>
      <PlainList>
        {calls.map(({ id, outcome, model, at }) => (
          <LinkRow
            key={id}
            to={inOrganisation(`/app/calls?id=${encodeURIComponent(id)}`)}
            title={model}
            about={
              <Note>
                <time dateTime={at}>{exactTime(at)}</time>
              </Note>
            }
          >
            <OutcomeBadge outcome={outcome} />
          </LinkRow>
        ))}
      </PlainList>
    </HeadedCard>
  )
}

const CallRecord = ({ id, result }: { id: string; result: CallResult }) => (
  <Answered answer={useAnswer((signal) => loadRecord(id, result, signal), [id])} lines={15}>
    {(loaded) => <Sheet id={id} request={result.request.body} {...loaded} />}
  </Answered>
)

type LoadedRecord = { call: Call | null; record: SignedCallRecord | null }

/** An answer has its record in it. A refusal names its record, which the list of calls has. */
async function loadRecord(id: string, { aqta }: CallResult, signal: AbortSignal): Promise<Answer<LoadedRecord>> {
  const listed = await callApi<List<Call>>('GET', '/api/calls', { signal })
  if (listed.outcome === 'refused') return listed
  const call = listed.body.data.find((one) => one.id === id) ?? null
  return answered({ call, record: aqta?.attestation ?? call?.record ?? null })
}

function Sheet({ id, call, record, request }: LoadedRecord & { id: string; request: object }) {
  // A role that sees all calls finds it by its entry, however many calls came after.
  const entry = call === null || !seesAllCalls() ? '' : `&leaf=${call.index}`
  const link = <a href={inOrganisation(`/app/calls?id=${encodeURIComponent(id)}${entry}`)}>See the call</a>
  if (record === null) return <Remark>The record is not among the newest calls any more. {link}</Remark>
  const [name, text] = [`record-${id}.json`, JSON.stringify(record, null, 2)]
  return (
    <SignedRecord
      id={id}
      record={record}
      request={request}
      outcome={call?.outcome ?? recordStatusOf(record.outcome)}
      ending={call?.ending ?? null}
      beside={call !== null && `Entry ${formatNumber(call.index)}`}
    >
      <Row isWhole>
        <Button onClick={() => saveFile({ name, content: new Blob([text]) })}>Save as JSON</Button>
        <Button onClick={() => handToVerifier({ name, text })}>Open in Verify</Button>
        {link}
      </Row>
    </SignedRecord>
  )
}

await openPage('/app/playground', Playground)
revokeKeyOnLeave()
