// The playground: a real call under the policy in force, its answer or refusal, its signed record, and the same call as code.
import { useRef, useState } from 'preact/hooks'
import { useAnswer } from '../../api/use-answer.ts'
import { Answered } from '../../parts/answer-notices.view.tsx'
import { CodeTabs } from '../../parts/code-tabs.view.tsx'
import { useUnsavedWarning } from '../../parts/form.view.tsx'
import { EmptyNotice } from '../../parts/surfaces.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, inOrganisation } from '../session.ts'
import { CallStatus, ComingAnswer, EndedCall, endOf, hasOutcome, NoAnswerYet, type CallState } from './answer.view.tsx'
import { CallRecord } from './call-record.view.tsx'
import { requestOf, type CallRequest, type Draft } from './call-request.ts'
import { codeOf } from '../call-code.ts'
import { keepCall, keepRequest, keptRequest } from './kept-request.ts'
import { isModelAllowed, loadChoices, type Choices } from './load-choices.ts'
import { PastCalls } from './past-calls.view.tsx'
import { revokeKeyOnLeave } from './playground-key.ts'
import { RequestForm } from './request-form.view.tsx'
import { sendCall } from './send-call.ts'
import { Halves, Stack } from '../../parts/layout.view.tsx'

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

await openPage('/app/playground', Playground)
revokeKeyOnLeave()
