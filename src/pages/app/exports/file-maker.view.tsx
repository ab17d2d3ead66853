// Exports page: the buttons that make a file, and below them what was saved: its name, its size, and whether it is whole.
import { useRef, useState } from 'preact/hooks'
import type { Answer, Problem, ReceivedFile } from '../../api/send-request.ts'
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { OpenInVerify, saveFile } from '../../parts/save-button.view.tsx'
import { formatBytes } from '../../text/format.ts'
import { Row, Text, Hash } from '../../parts/layout.view.tsx'

export type FileKind = {
  label: string
  look?: 'first'
  ask: (onBytes: (received: number) => void) => Promise<Answer<ReceivedFile>>
  /** Returns a sentence about what the file has, and whether it is whole. */
  tell: (file: ReceivedFile) => Promise<string>
  /** True if the page that checks evidence reads the file. */
  isEvidence?: boolean
}

type State =
  | { step: 'ready' }
  | { step: 'coming'; received: number }
  | { step: 'saved'; text: string; file: ReceivedFile; isEvidence: boolean }
  | { step: 'refused'; problem: Problem }

type Props = {
  kinds: readonly FileKind[]
  /** True while the days are of no file. */
  isDisabled: boolean
  /** Called after a file was saved. */
  onMade: () => void
}

export function FileMaker({ kinds, isDisabled, onMade }: Props) {
  const [state, setState] = useState<State>({ step: 'ready' })
  const isComing = useRef(false)
  const make = async ({ ask, tell, isEvidence = false }: FileKind): Promise<void> => {
    if (isComing.current || isDisabled) return
    isComing.current = true
    setState({ step: 'coming', received: 0 })
    const answer = await ask((received) => setState({ step: 'coming', received }))
    isComing.current = false
    if (answer.outcome === 'refused') return setState({ step: 'refused', problem: answer.problem })
    const file = answer.body
    saveFile(file)
    setState({ step: 'saved', file, text: await tell(file), isEvidence })
    onMade()
  }
  return (
    <>
      <Row>
        {kinds.map((kind) => (
          <Button
            key={kind.label}
            {...(kind.look !== undefined && { look: kind.look })}
            isDisabled={isDisabled || state.step === 'coming'}
            onClick={() => void make(kind)}
          >
            {kind.label}
          </Button>
        ))}
      </Row>
      {state.step === 'coming' && (
        <Text as="p" size="small" role="status">
          On its way: {formatBytes(state.received)} so far.
        </Text>
      )}
      {state.step === 'saved' && <Saved {...state} />}
      {state.step === 'refused' && <RefusalNotice problem={state.problem} />}
    </>
  )
}

type SavedProps = { file: ReceivedFile; text: string; isEvidence: boolean }

const Saved = ({ file, text, isEvidence }: SavedProps) => (
  <Notice
    role="status"
    title={
      <>
        Saved <Hash as="code">{file.name}</Hash>, {formatBytes(file.content.size)}
      </>
    }
  >
    <p>{text}</p>
    {isEvidence && <OpenInVerify file={file} />}
  </Notice>
)
