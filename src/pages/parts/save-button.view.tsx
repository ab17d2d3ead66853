// The button that downloads a file, shows the progress, and saves the file.
import { Button } from './button.view.tsx'
import type { Answer, Problem, ReceivedFile } from '../api/send-request.ts'
import { handToVerifier } from '../api/handed-evidence.ts'
import { formatBytes } from '../text/format.ts'
import { Icon } from './icon.view.tsx'
import { proven } from './icons.ts'
import { RefusalNotice } from './answer-notices.view.tsx'
import { useRef, useState } from 'preact/hooks'

type Props = {
  label: string
  look?: 'first'
  ask: (onBytes: (received: number) => void) => Promise<Answer<ReceivedFile>>
  /** Returns a sentence about the saved file, to show below the button. */
  tell?: (file: ReceivedFile) => Promise<string>
  /** True if the page that checks evidence reads the file. */
  isEvidence?: boolean
}

type State =
  | { step: 'ready' }
  | { step: 'coming'; received: number }
  | { step: 'saved'; text: string; file: ReceivedFile }
  | { step: 'refused'; problem: Problem }

export function SaveButton({ label, look, ask, tell, isEvidence = false }: Props) {
  const [state, setState] = useState<State>({ step: 'ready' })
  const isComing = useRef(false)

  const save = async (): Promise<void> => {
    if (isComing.current) return
    isComing.current = true
    setState({ step: 'coming', received: 0 })
    const answer = await ask((received) => setState({ step: 'coming', received }))
    isComing.current = false
    if (answer.outcome === 'refused') {
      setState({ step: 'refused', problem: answer.problem })
      return
    }
    const file = answer.body
    saveFile(file)
    const size = `${file.name}, ${formatBytes(file.content.size)}.`
    setState({ step: 'saved', file, text: tell === undefined ? size : `${size} ${await tell(file)}` })
  }

  return (
    <div class="stack">
      <Button {...(look !== undefined && { look })} isDisabled={state.step === 'coming'} onClick={() => void save()}>
        {label}
      </Button>
      <p class="small" role="status">
        {state.step === 'coming' && `On its way: ${formatBytes(state.received)} so far.`}
        {state.step === 'saved' && `Saved: ${state.text}`}
      </p>
      {isEvidence && state.step === 'saved' && <OpenInVerify file={state.file} />}
      {state.step === 'refused' && <RefusalNotice problem={state.problem} />}
    </div>
  )
}

/** The longest file that a tab's storage hands over surely. A longer one is chosen on the page that checks it. */
const MOST_HANDED_BYTES = 2 * 1024 * 1024

export function OpenInVerify({ file: { name, content } }: { file: ReceivedFile }) {
  if (content.size > MOST_HANDED_BYTES) {
    return (
      <p class="small">
        To check it, choose it at <a href="/verify">Verify</a>.
      </p>
    )
  }
  const hand = async (): Promise<void> => handToVerifier({ name, text: await content.text() })
  return (
    <Button onClick={() => void hand()}>
      <Icon of={proven} />
      Open in Verify
    </Button>
  )
}

/** Lets the browser save the file, as if a link to it had been followed. */
export function saveFile({ name, content }: ReceivedFile): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser has read the file after this time.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
