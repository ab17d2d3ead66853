// All data of the organisation that somebody may have, as one file: how far it is, and whether it is whole.
import { useRef, useState } from 'preact/hooks'
import { FORMATS, sectionsOf, type Format, type Section as Wanted } from '../../../management/export/sections.policy.ts'
import type { Problem } from '../../api/call.ts'
import type { Membership, Session } from '../../api/session.ts'
import { Command } from '../../parts/command.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { ProblemNotice } from '../../parts/problem-notice.view.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { formatBytes } from '../../text/format.ts'
import { fileIn } from '../call-in.ts'
import { endingOf, followSections, type Ending } from './export-progress.ts'
import { Section } from './section.view.tsx'

const HAS: Readonly<Record<Wanted, string>> = {
  account: 'you: address, name, memberships, sessions',
  organisation: 'what the organisation is',
  members: 'who is a member in which role, open invitations',
  keys: 'all keys, without their secrets',
  settings: 'what this page shows',
  notifications: 'the webhook and its messages, without what they say',
  policies: 'every version of the policy',
  approvals: 'what waited for people, and what became of it',
  statements: 'what people stated about the compliance checklist',
  anomalies: 'what was found unusual in how calls were served',
  usage: 'requests and costs by month and by day',
  audit: 'every entry of the ledger whose details are kept',
  receipts: 'the signed records of decisions',
}

const FORMAT_NAMES: Readonly<Record<Format, string>> = { json: 'JSON', csv: 'CSV, for a spreadsheet' }

type Progress = { bytes: number; section: Wanted | null }
type Done = { name: string; bytes: number; ending: Ending }

export function ExportSection({ session, organisation }: { session: Session; organisation: Membership }) {
  const theirs = sectionsOf(organisation.role)
  const [format, setFormat] = useState<Format>('json')
  const [section, setSection] = useState<Wanted | null>(null)
  const [progress, setProgress] = useState<Progress | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [done, setDone] = useState<Done | null>(null)
  const leaving = useRef<AbortController>(null)

  const download = async (): Promise<void> => {
    if (progress !== null) return
    leaving.current = new AbortController()
    setProblem(null)
    setDone(null)
    setProgress({ bytes: 0, section: null })
    const asked = { query: { format, section }, signal: leaving.current.signal }
    const sectionAt = followSections()
    const answer = await fileIn(session, 'GET', '/api/settings/export', asked, (bytes, latest) =>
      setProgress({ bytes, section: sectionAt(latest) }),
    )
    setProgress(null)
    if (answer.outcome === 'refused') {
      setProblem(answer.problem)
      return
    }
    const { name, content } = answer.body
    saveFile(answer.body)
    setDone({ name, bytes: content.size, ending: await endingOf(content, format, section) })
  }

  return (
    <Section id="export">
      <p>
        One file with all that {session.user.name} may have of {organisation.name} as {organisation.role}. It has no
        passwords, no secrets of keys, no prompts and no answers. The ledger says who exported what, before the first
        byte is sent. Five exports an hour for you, ten for the whole organisation.
      </p>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          download().catch(() => setProgress(null))
        }}
      >
        <div class="filters">
          <Field label="What">
            {(control) => (
              <select
                {...control}
                value={section ?? ''}
                onChange={({ currentTarget: { value } }) => setSection(theirs.find((one) => one === value) ?? null)}
              >
                <option value="">everything: {theirs.length} sections</option>
                {theirs.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="As">
            {(control) => (
              <select
                {...control}
                value={format}
                onChange={({ currentTarget: { value } }) => setFormat(FORMATS.find((one) => one === value) ?? 'json')}
              >
                {FORMATS.map((one) => (
                  <option key={one} value={one}>
                    {FORMAT_NAMES[one]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <p class="row">
          <button type="submit" class="button first" aria-disabled={progress !== null}>
            Download the export
          </button>
          {progress !== null && (
            <button type="button" class="button" onClick={() => leaving.current?.abort()}>
              Stop
            </button>
          )}
        </p>
      </form>
      <div role="status" class="stack">
        {progress !== null && <Following progress={progress} />}
        {done !== null && <Outcome done={done} />}
      </div>
      {problem !== null && <ProblemNotice problem={problem} />}
      <details>
        <summary>What each section has, and the same from a terminal</summary>
        <div class="stack">
          <dl class="facts">
            {theirs.map((one) => (
              <>
                <dt key={`${one}-name`}>
                  <code>{one}</code>
                </dt>
                <dd key={one}>{HAS[one]}</dd>
              </>
            ))}
          </dl>
          <Command
            line={`curl -sOJ "${location.origin}/api/settings/export?format=${format}${section === null ? '' : `&section=${section}`}" -H "authorization: Bearer $MANAGEMENT_KEY"`}
          />
          <p>
            A <code>record</code> under <code>receipts</code> is checked without this service: paste it into{' '}
            <a href="/verify">the verifier</a>, or save it as a file for <code>countersign-verify</code>.
          </p>
        </div>
      </details>
    </Section>
  )
}

function Following({ progress: { bytes, section } }: { progress: Progress }) {
  return (
    <p>
      <progress aria-label="Export" /> {formatBytes(bytes)}
      {section !== null && `, at the section ${section}`}
    </p>
  )
}

const ENDINGS: Readonly<Record<Ending, string>> = {
  whole: 'It ends by saying that it is whole.',
  incomplete: 'It says itself that something that should be in it could not be read. Tell the operator.',
  broken_off: 'It has no end: it was broken off. Ask for it again; it cannot be gone on from.',
}

function Outcome({ done: { name, bytes, ending } }: { done: Done }) {
  return (
    <div class={`notice ${ending === 'whole' ? 'good' : 'bad'}`}>
      <p>
        {name}, {formatBytes(bytes)}.
      </p>
      <p>{ENDINGS[ending]}</p>
    </div>
  )
}
