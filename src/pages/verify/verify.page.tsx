// The verifier page: the document, the trusted keys, further inputs, the verdict, and an invented example to try.
import { Button, Submit } from '../parts/button.view.tsx'
import { Field } from '../parts/field-frame.view.tsx'
import { takeHandedEvidence } from '../api/handed-evidence.ts'
import { showInIsland } from '../parts/island.ts'
import { formatNumber, formatPercent } from '../text/format.ts'
import {
  isAged,
  CHOOSABLE_KINDS,
  furtherInputs,
  INPUTS,
  profileIn,
  publishedKeys,
  type InputName,
} from './verifier-inputs.ts'
import { check, loadExample, loadProfileCheck, type CheckOutcome, type CheckProgress } from './run-check.ts'
import { EvidenceInput, KeySources, TrustChoice } from './evidence-input.view.tsx'
import {
  describeDetected,
  nameOfKind,
  pasted,
  detect,
  type DocumentInput,
  type DetectedDocument,
} from './detect-document.ts'
import { VerdictView } from './verdict.view.tsx'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Columns, Halves, Note, OffPaper, Row, Stack, Text } from '../parts/layout.view.tsx'
import { Notice, Section } from '../parts/page-blocks.view.tsx'
import { RecordSheet } from '../parts/record-sheet.view.tsx'

const EXAMPLE_NOTE = 'Invented: anybody can sign with its key.'

const NOTHING: DetectedDocument = { form: 'nothing' }

type Form = Parameters<typeof check>[0]

const EMPTY_FORM: Form = { inputs: {}, chosenKind: null, trust: 'given', quorum: '', maxAge: '' }

/** `texts`: what the fields show. A file is an input without a text. */
type State = Form & { texts: Partial<Record<InputName, string>> }

export function Verifier() {
  const [form, setForm] = useState<State>({ ...EMPTY_FORM, texts: {} })
  const [detected, setDetected] = useState<DetectedDocument>(NOTHING)
  const [progress, setProgress] = useState<CheckProgress | null>(null)
  const [outcome, setOutcome] = useState<CheckOutcome | null>(null)
  const [examples, setExamples] = useState<readonly string[]>([])
  const stopping = useRef<AbortController | null>(null)

  const { inputs, texts, chosenKind, trust } = form
  const { document: given } = inputs
  useLayoutEffect(() => {
    let isCurrent = true
    if (given === undefined) setDetected(NOTHING)
    else {
      void detect(given).then(
        (found) => isCurrent && showDetected(found),
        // The check itself reports why the document cannot be read.
        () => isCurrent && setDetected(NOTHING),
      )
    }
    return () => {
      isCurrent = false
    }
  }, [given])

  useLayoutEffect(() => {
    // The check itself reports that the part could not be loaded.
    if (profileIn(chosenKind) !== null) loadProfileCheck().catch(() => null)
  }, [chosenKind])

  /** Removes the verdict when an input changes, because it belongs to the old inputs. */
  const clearVerdict = (): void => {
    stopping.current?.abort()
    stopping.current = null
    setProgress(null)
    setOutcome(null)
  }
  const change = (changes: Partial<State>): void => {
    clearVerdict()
    setForm((now) => ({ ...now, ...changes }))
  }
  const fill = (field: InputName, input: DocumentInput | undefined, text = ''): void =>
    setForm((now) => ({
      ...now,
      inputs: withInput(now.inputs, field, input),
      texts: { ...now.texts, [field]: text },
    }))
  const setInput: typeof fill = (...filled) => {
    clearVerdict()
    fill(...filled)
  }
  /** Fills in the salt and the entry that a reading's record has. Those of another document go. */
  const showDetected = (found: DetectedDocument): void => {
    setDetected(found)
    if (found.form !== 'profile') return
    for (const name of ['salt', 'entry'] as const) {
      const text = found[name]
      fill(name, text === null ? undefined : pasted(text), text ?? '')
    }
  }
  const takeFile = (field: InputName, files: FileList | null | undefined): void => {
    const [file, ...others] = files ?? []
    if (file === undefined) return
    if (others.length === 0) setInput(field, { name: file.name, blob: file })
    else setOutcome({ outcome: 'misused', field, why: 'Drop one file at a time.' })
  }
  useLayoutEffect(() => {
    const handed = takeHandedEvidence()
    if (handed === null) return
    const document = { name: handed.name, blob: new Blob([handed.text]) }
    setInput('document', document)
    if (publishedKeys() === undefined) return
    // It came from this service: its own keys are at hand, and the page says what that is worth.
    change({ trust: 'published' })
    const published: Form = { ...EMPTY_FORM, inputs: { document }, trust: 'published' }
    // The visitor decides whether it is of a profile.
    void detect(document).then((found) => (found.form === 'profile' ? undefined : start(published)))
  }, [])
  // A file that falls beside the field would open in place of the page.
  useLayoutEffect(() => {
    const take = (event: DragEvent): void => {
      event.preventDefault()
      if (event.type === 'drop') takeFile('document', event.dataTransfer?.files)
    }
    for (const type of ['dragover', 'drop'] as const) addEventListener(type, take)
    return () => {
      for (const type of ['dragover', 'drop'] as const) removeEventListener(type, take)
    }
  }, [])
  const isExample = examples.includes(texts.document ?? '')
  const tryExample = async (isChanged: boolean): Promise<void> => {
    clearVerdict()
    const example = await loadExample()
    if (example === null) {
      setOutcome({ outcome: 'misused', field: 'document', why: 'The example could not be loaded. Reload this page.' })
      return
    }
    const whole = JSON.stringify(example.bundle, null, 2)
    const changed = whole.replace('"outcome": "ALLOWED"', '"outcome": "BLOCKED"')
    const shown = { document: isChanged ? changed : whole, keys: example.key }
    const filled = { document: pasted(shown.document), keys: pasted(shown.keys) }
    setExamples([whole, changed])
    const tried: State = { ...form, inputs: filled, texts: shown, chosenKind: null, trust: 'given' }
    setForm(tried)
    await start(tried)
  }

  const start = async (checked: Form): Promise<void> => {
    const stop = new AbortController()
    stopping.current = stop
    setOutcome(null)
    setProgress({ lines: 0, share: 0 })
    const onProgress = (made: CheckProgress): void => {
      if (stopping.current === stop) setProgress(made)
    }
    const found = await check(checked, { onProgress, signal: stop.signal })
    if (stopping.current !== stop) return
    setProgress(null)
    setOutcome(found)
  }

  const furtherPart = useRef<HTMLDetailsElement>(null)
  const verdict = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current: shown } = verdict
    if (outcome === null || shown === null) return
    const { top } = shown.getBoundingClientRect()
    if (outcome.outcome !== 'checked') shown.scrollIntoView({ block: 'nearest' })
    else if (top < 0 || top > innerHeight / 2) shown.scrollIntoView()
    shown.querySelector<HTMLElement>('[tabindex]')?.focus({ preventScroll: true })
  }, [outcome])

  const misused = outcome?.outcome === 'misused' ? outcome : null
  const field = (name: InputName, isShort = false) => (
    <EvidenceInput
      key={name}
      name={name}
      fault={misused?.field === name && (name !== 'keys' || inputs.keys) ? misused.why : null}
      input={inputs[name]}
      onInputChange={(input, text) => setInput(name, input, text)}
      onFiles={(files) => takeFile(name, files)}
      isShort={isShort}
      text={texts[name] ?? ''}
    />
  )
  const furtherInputNames = furtherInputs({ detected, chosenKind })
  /** True for a proof alone, which proves nothing without other inputs. */
  const isNeeded =
    chosenKind === null && detected.form === 'document' && /^(?:inclusion|consistency)$/.test(detected.kind)
  const isCheckpoint = detected.form === 'checkpoint'
  const sentence = describeDetected(detected)
  const entry = (name: 'quorum' | 'maxAge', label: string, hint: string) => (
    <Field label={label} hint={hint}>
      {(control) => (
        <input {...control} value={form[name]} onInput={({ currentTarget: { value } }) => change({ [name]: value })} />
      )}
    </Field>
  )
  const age =
    isAged({ detected, chosenKind }) && entry('maxAge', 'At most how old', 'Such as 15m, 24h or 7d. Empty: any age.')

  const further = (
    <details
      ref={furtherPart}
      open={
        isNeeded || profileIn(chosenKind) !== null || (misused !== null && furtherInputNames.includes(misused.field))
      }
    >
      <summary>
        Compare with
        {furtherInputNames.length > 0 &&
          `: ${furtherInputNames.map((name) => INPUTS[name][0].toLowerCase()).join(', ')}`}
      </summary>
      {furtherInputNames.includes('letter') && (
        <Note as="p">
          Letter and salt stay in this browser. The page’s policy forbids all connections, and the page stores neither.
        </Note>
      )}
      <Columns>
        {!isCheckpoint && (
          <Field label="Kind" hint="Choose one if the document could be of several kinds.">
            {(control) => (
              <select
                {...control}
                value={chosenKind ?? ''}
                onChange={({ currentTarget: { value } }) =>
                  change({ chosenKind: CHOOSABLE_KINDS.find((name) => name === value) ?? null })
                }
              >
                <option value="">Detect it</option>
                {CHOOSABLE_KINDS.map((kind) => (
                  <option key={kind} value={kind}>
                    {nameOfKind(kind)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        {furtherInputNames.map((name) => field(name, true))}
        {!isCheckpoint && age}
      </Columns>
    </details>
  )

  return (
    <Halves>
      <Stack
        as="form"
        gap={5}
        isOffPaper
        onSubmit={(event) => {
          event.preventDefault()
          if (progress === null) void start(form)
        }}
      >
        <Section title="The evidence">
          <Row as="p" gap={2}>
            <Button onClick={() => void tryExample(false)}>Try an invented example</Button>
            <Button onClick={() => void tryExample(true)}>The same, its outcome changed</Button>
          </Row>
          {field('document')}
          <div aria-live="polite">
            <Note as="p">
              {sentence} {isExample && EXAMPLE_NOTE}
            </Note>
          </div>
          {detected.form === 'profile' && chosenKind !== detected.profile && (
            <p>
              <Button
                onClick={() => {
                  change({ chosenKind: detected.profile })
                  furtherPart.current?.querySelector('summary')?.focus()
                }}
              >
                Treat it as one
              </Button>
            </p>
          )}
        </Section>
        <Section title="Whose keys do you trust?">
          {isCheckpoint ? (
            <>
              {field('log', true)}
              {field('witnesses', true)}
              {entry('quorum', 'How many witnesses', 'Empty: all of them.')}
              {age}
            </>
          ) : (
            <TrustChoice trust={trust} onTrust={(wanted) => change({ trust: wanted })} keys={field('keys', true)} />
          )}
        </Section>
        {isNeeded && further}
        <Row as="p">
          <Submit label="Check it" isDisabled={progress !== null} />
          {progress !== null && progress.lines > 0 && <Button onClick={() => stopping.current?.abort()}>Stop</Button>}
        </Row>
        {!isNeeded && further}
        {!isCheckpoint && <KeySources />}
      </Stack>
      <div>
        {progress !== null && progress.lines > 0 && (
          <Stack as="p" gap={2}>
            <progress max={1} value={progress.share} aria-label="How much of it is checked" />
            <Text isNumber>
              {formatNumber(progress.lines)} lines, {formatPercent(progress.share)}
            </Text>
          </Stack>
        )}
        <div role="status" id="verdict" ref={verdict}>
          {outcome?.outcome === 'checked' && (
            <VerdictView checked={outcome.checked} trust={trust} isExample={isExample} />
          )}
          {outcome?.outcome === 'foreign' && <Notice title={`This is ${outcome.what}.`}>{outcome.next}</Notice>}
          {outcome?.outcome === 'stopped' && <Notice title="Stopped. There is no verdict." />}
          {misused !== null && <Notice tone="bad" title={`Not checked yet. ${misused.why}`} />}
        </div>
        {outcome === null && progress === null && (
          <OffPaper>
            <RecordSheet title="Verdict" isExpected facts={[]}>
              The verdict appears here.
            </RecordSheet>
          </OffPaper>
        )}
      </div>
    </Halves>
  )
}

function withInput(inputs: State['inputs'], field: InputName, input: DocumentInput | undefined): State['inputs'] {
  const { [field]: _, ...others } = inputs
  return input === undefined ? others : { ...others, [field]: input }
}

showInIsland(<Verifier />)
