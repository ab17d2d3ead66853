// The form of a section: it sends what differs from the settings in force, and says what became of that.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { UpdateSettings } from '../../../management/settings/settings.schema.ts'
import type { Problem } from '../../api/call.ts'
import { Dialog } from '../../parts/dialog.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { useLeaving } from '../../parts/use-leaving.ts'
import type { Room } from './room.ts'

type Given = {
  room: Room
  /** As the form has it: members that are as before are not sent. */
  wanted: UpdateSettings
  /** What is asked before it is sent; null: nothing. */
  question?: { title: string; text: ComponentChildren } | null
  children: (faultOf: (path: string) => string | null) => ComponentChildren
}

type State = 'ready' | 'asking' | 'sending' | 'saved'

export function SettingsForm({ room, wanted, question = null, children }: Given) {
  const [state, setState] = useState<State>('ready')
  const [problem, setProblem] = useState<Problem | null>(null)
  const differing = differingFrom(room, wanted)
  const isSame = Object.keys(differing).length === 0
  useLeaving(!isSame)

  const send = async (): Promise<void> => {
    setState('sending')
    const found = await room.change(differing)
    setProblem(found)
    setState(found === null ? 'saved' : 'ready')
  }
  const submit = (): void => {
    if (isSame || state === 'sending') return
    if (question === null) void send()
    else setState('asking')
  }
  const faultOf = (path: string): string | null => problem?.fields.find((field) => field.path === path)?.rule ?? null

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <fieldset class="stack" disabled={!room.mayChange}>
        {children(faultOf)}
      </fieldset>
      {problem !== null && <ProblemNotice problem={problem} />}
      {problem?.code === 'conflict' && (
        <p class="row">
          <button type="button" class="button" onClick={({ currentTarget }) => reloadAt(room, currentTarget)}>
            Show the settings as they are now
          </button>
          <span class="soft">What is not saved on this page goes.</span>
        </p>
      )}
      {room.mayChange && (
        <p class="row">
          <button type="submit" class="button first" aria-disabled={isSame || state === 'sending'}>
            Save
          </button>
          <span role="status" class="soft">
            {state === 'sending' ? 'Saving' : state === 'saved' && isSame ? 'Saved' : isSame ? '' : 'Not saved yet'}
          </span>
        </p>
      )}
      {state === 'asking' && question !== null && (
        <Dialog title={question.title} onClose={() => setState('ready')}>
          {question.text}
          <p class="row">
            <button type="button" class="button first" onClick={() => void send()}>
              Save it so
            </button>
            <button type="button" class="button" onClick={() => setState('ready')}>
              Leave it as it is
            </button>
          </p>
        </Dialog>
      )}
    </form>
  )
}

/** Where the form is, the page is opened again. */
function reloadAt({ reload }: Room, within: Element): void {
  history.replaceState(history.state, '', `#${within.closest('section')?.id ?? ''}`)
  reload()
}

const differingFrom = ({ settings }: Room, wanted: UpdateSettings): UpdateSettings => {
  const before: Readonly<Record<string, unknown>> = settings
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => textOf(value) !== textOf(before[name])))
}

/** The order of a list means nothing: providers are all that is one. */
const textOf = (value: unknown): string =>
  JSON.stringify(Array.isArray(value) ? value.map(String).toSorted(byText) : value)

const byText = (one: string, other: string): number => one.localeCompare(other)
