// Buttons that make and save a file: how much has come, what was saved, and the way to the page that checks it.
import type { Answer, OnBytes, Problem, ReceivedFile } from '../api/send-request.ts'
import { handToVerifier } from '../api/handed-evidence.ts'
import { formatBytes } from '../text/format.ts'
import { Button, LinkButton } from './button.view.tsx'
import type { Tone } from './drawn.ts'
import { Icon } from './icon.view.tsx'
import { proven } from './icons.ts'
import { RefusalNotice } from './answer-notices.view.tsx'
import { useRef, useState } from 'preact/hooks'

export type FileKind = {
  label: string
  look?: 'first'
  ask: (onBytes: OnBytes, signal: AbortSignal) => Promise<Answer<ReceivedFile>>
  /** Returns a function that takes the next bytes and returns the section that they end in; null before the first. */
  follow?: () => (latest: Uint8Array) => string | null
  /** Returns a sentence about the saved file: what it has, and whether it is whole. */
  tell?: (file: ReceivedFile) => Promise<string | readonly [text: string, tone: Tone]>
  /** True if the page that checks evidence reads the file. */
  isEvidence?: boolean
}

type State =
  | { step: 'ready' }
  | { step: 'coming'; received: number; section: string | null }
  | { step: 'saved'; file: ReceivedFile; text: string; tone: Tone | undefined; isEvidence: boolean }
  | { step: 'refused'; problem: Problem }

/** One file at a time. @param onMade called after a file was saved */
export function useFile(onMade: () => void = () => undefined) {
  const [state, setState] = useState<State>({ step: 'ready' })
  const running = useRef<AbortController>(null)
  const make = async ({ ask, tell, follow, isEvidence = false }: Omit<FileKind, 'label' | 'look'>): Promise<void> => {
    if (running.current !== null) return
    running.current = new AbortController()
    const sectionAt = follow?.()
    setState({ step: 'coming', received: 0, section: null })
    // Stopped, it is rejected.
    const answer = await ask(
      (received, latest) => setState({ step: 'coming', received, section: sectionAt?.(latest) ?? null }),
      running.current.signal,
    ).catch(() => null)
    running.current = null
    if (answer === null) return setState({ step: 'ready' })
    if (answer.outcome === 'refused') return setState({ step: 'refused', problem: answer.problem })
    const file = answer.body
    saveFile(file)
    const told = (await tell?.(file)) ?? ''
    const [text, tone] = typeof told === 'string' ? [told] : told
    setState({ step: 'saved', file, text, tone, isEvidence })
    onMade()
  }
  return { state, make, stop: () => running.current?.abort() }
}

export function SaveButton(kind: FileKind) {
  const { state, make } = useFile()
  return (
    <div class="stack">
      <Button look={kind.look} isDisabled={state.step === 'coming'} onClick={() => void make(kind)}>
        {kind.label}
      </Button>
      <p class="small">
        <FileLine state={state} />
      </p>
      {state.step === 'refused' && <RefusalNotice problem={state.problem} />}
    </div>
  )
}

/** How much of a file has come; once it is saved, what it has, and the way to its check. */
export const FileLine = ({ state }: { state: State }) => (
  <span role="status">
    {state.step === 'coming' && `On its way: ${formatBytes(state.received)} so far.`}
    {state.step === 'saved' && (
      <>
        Saved: {state.text || formatBytes(state.file.content.size)}{' '}
        {state.isEvidence && <OpenInVerify file={state.file} isLink />}
      </>
    )}
  </span>
)

/** The longest file that a tab's storage hands over surely. A longer one is chosen on the page that checks it. */
const MOST_HANDED_BYTES = 2 * 1024 * 1024

export function OpenInVerify({ file: { name, content }, isLink = false }: { file: ReceivedFile; isLink?: boolean }) {
  if (content.size > MOST_HANDED_BYTES) {
    return (
      <span class="small">
        To check it, choose it at <a href="/verify">Verify</a>.
      </span>
    )
  }
  const hand = async (): Promise<void> => handToVerifier({ name, text: await content.text() })
  const Act = isLink ? LinkButton : Button
  return (
    <Act onClick={() => void hand()}>
      {!isLink && <Icon of={proven} />}
      Open in Verify
    </Act>
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
