// Front page: an invented record, which the visitor has checked in this browser. Nothing is said of its signature before that.
import { useState } from 'preact/hooks'
import { Button } from '../parts/button.view.tsx'
import { Icon } from '../parts/icon.view.tsx'
import { failed } from '../parts/icons.ts'
import { Seal } from '../parts/ornament.view.tsx'
import type { Fact } from '../parts/page-blocks.view.tsx'
import { RecordSheet, SignedOutcome } from '../parts/record-sheet.view.tsx'
import { formatMoment } from '../text/format.ts'
import type { ShownRecord } from './check-example.ts'
import { Soft } from '../parts/layout.view.tsx'

type State = 'unchecked' | 'checking' | 'valid' | 'not_valid' | 'not_loaded'

/** What of the example is shown. The check compares it with the record. */
const record: ShownRecord = {
  outcome: 'ALLOWED',
  timestamp: '2026-11-20T05:00:00.500Z',
  model: 'invented-model',
  policy_applied: ['loop_guard'],
  request_hash: '810dc6e7d573c92fdb6b084faa74b069aac16d6f2ae577711bc728aed2b0c7a7',
}

export const EXAMPLE_FACTS: readonly Fact[] = [
  ['Decision', <SignedOutcome outcome="passed" signed={record.outcome} />],
  ['Decided', formatMoment(new Date(record.timestamp), false)],
  ['Model', record.model],
  ['Rules applied', <code>{record.policy_applied.join(', ')}</code>],
  ['Request hash', <code>{record.request_hash}</code>],
]

export function ExampleRecord() {
  const [state, setState] = useState<State>('unchecked')
  const checkIt = async (): Promise<void> => {
    setState('checking')
    try {
      const { isExampleValid } = await import('./check-example.ts')
      setState(isExampleValid(record) ? 'valid' : 'not_valid')
    } catch {
      setState('not_loaded')
    }
  }
  return (
    <RecordSheet title="Signed record" beside="An invented example" facts={EXAMPLE_FACTS}>
      {state === 'valid' ? (
        <>
          <Seal />
          <p role="status">
            <strong>Signature valid.</strong> Checked in this browser.
          </p>
        </>
      ) : (
        <>
          <Button isDisabled={state === 'checking'} onClick={() => void checkIt()}>
            Check this record
          </Button>
          <Soft as="p" role="status">
            {WORDS[state]}
          </Soft>
          {state === 'not_valid' && <Icon of={failed} />}
        </>
      )}
    </RecordSheet>
  )
}

const WORDS: Readonly<Record<Exclude<State, 'valid'>, string>> = {
  unchecked: 'Not checked yet. The check runs in this browser.',
  checking: 'Checking …',
  not_valid: 'Not valid.',
  not_loaded: 'The checker could not be loaded. Press again, or use the page Verify.',
}
