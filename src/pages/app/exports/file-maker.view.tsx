// Exports page: the buttons that make a file, and below them what was saved: its name, its size, and whether it is whole.
import { RefusalNotice } from '../../parts/answer-notices.view.tsx'
import { Button } from '../../parts/button.view.tsx'
import { Notice } from '../../parts/page-blocks.view.tsx'
import { OpenInVerify, useFile, type FileKind } from '../../parts/save-button.view.tsx'
import { formatBytes } from '../../text/format.ts'
import { Row, Text, Hash } from '../../parts/layout.view.tsx'

type Props = {
  kinds: readonly FileKind[]
  /** True while the days are of no file. */
  isDisabled?: boolean
  onMade: () => void
}

export function FileMaker({ kinds, isDisabled = false, onMade }: Props) {
  const { state, make, stop } = useFile(onMade)
  return (
    <>
      <Row>
        {kinds.map((kind) => (
          <Button
            key={kind.label}
            look={kind.look}
            isDisabled={isDisabled || state.step === 'coming'}
            onClick={() => void (isDisabled || make(kind))}
          >
            {kind.label}
          </Button>
        ))}
        {state.step === 'coming' && <Button onClick={stop}>Stop</Button>}
      </Row>
      {state.step === 'coming' && (
        <Text as="p" size="small" role="status">
          <progress aria-label="Export" /> {formatBytes(state.received)}
          {state.section !== null && `, at the section ${state.section}`}
        </Text>
      )}
      {state.step === 'saved' && (
        <Notice
          role="status"
          tone={state.tone}
          title={
            <>
              Saved <Hash as="code">{state.file.name}</Hash>, {formatBytes(state.file.content.size)}
            </>
          }
        >
          <p>{state.text}</p>
          {state.isEvidence && <OpenInVerify file={state.file} />}
        </Notice>
      )}
      {state.step === 'refused' && <RefusalNotice problem={state.problem} />}
    </>
  )
}
