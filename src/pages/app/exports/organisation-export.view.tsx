// All data of the organisation as one file. Shows the progress, and whether the file is complete.
import {
  FORMATS,
  SECTIONS,
  exportableSections,
  type Format,
  type Section,
} from '../../../management/export/export-sections.policy.ts'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { SelectField } from '../../parts/fields.view.tsx'
import { Facts } from '../../parts/page-blocks.view.tsx'
import { fetchFile, organisation } from '../session.ts'
import { namedHere } from './evidence-files.view.tsx'
import { useState } from 'preact/hooks'
import { Stack, Pair, Hash } from '../../parts/layout.view.tsx'
import { dayFromToday } from '../../text/day.ts'
import type { Tone } from '../../parts/drawn.ts'
import { FileMaker } from './file-maker.view.tsx'
import type { FileKind } from '../../parts/save-button.view.tsx'

const SECTION_CONTENTS: Readonly<Record<Section, string>> = {
  account: 'you: address, name, memberships, sessions',
  organisation: 'what the organisation is',
  members: 'who is a member in which role, open invitations',
  keys: 'all keys, without their secrets',
  settings: 'what the settings page shows',
  notifications: 'the webhook and its messages, without what they say',
  policies: 'every version of the policy',
  approvals: 'what waited for people, and how it ended',
  statements: 'what people stated about the compliance checklist',
  anomalies: 'what was found unusual in how calls were served',
  usage: 'requests and costs by month and by day',
  audit: 'every entry of the log whose details are kept',
  receipts: 'the signed records of decisions',
}

const FORMAT_NAMES: Readonly<Record<Format, string>> = { json: 'JSON', csv: 'CSV, for a spreadsheet' }

/** @param onMade called after the file was saved */
export function OrganisationExport({ onMade }: { onMade: () => void }) {
  const allowedSections = exportableSections(organisation().role)
  const [format, setFormat] = useState<Format>('json')
  const [section, setSection] = useState<Section | null>(null)
  const ask: FileKind['ask'] = (onBytes, signal) =>
    fetchFile('GET', '/api/settings/export', { query: { format, section }, signal }, onBytes)
  const tell: FileKind['tell'] = async ({ content }) => ENDINGS[await endingOf(content, format, section)]
  return (
    <>
      <Pair>
        <SelectField
          label="What"
          value={section ?? ''}
          onValue={(value) => setSection(allowedSections.find((one) => one === value) ?? null)}
          options={[
            ['', `Everything: ${allowedSections.length} sections`],
            ...allowedSections.map((one) => [one, one] as const),
          ]}
        />
        <SelectField
          label="As"
          value={format}
          onValue={(value) => setFormat(FORMATS.find((one) => one === value) ?? 'json')}
          options={FORMATS.map((one) => [one, FORMAT_NAMES[one]] as const)}
        />
      </Pair>
      <Facts
        facts={[
          ['It will have', section === null ? 'Everything your role may export' : SECTION_CONTENTS[section]],
          ['Not in it', 'Passwords, secrets of keys, prompts, answers'],
          ['Limit', 'Five an hour for you, ten for the whole organisation'],
          [
            'Name',
            <Hash as="code">{namedHere(`countersign-${section ?? 'export'}-${dayFromToday(0)}.${format}`)}</Hash>,
          ],
        ]}
      />
      <FileMaker
        kinds={[{ label: 'Make the export', look: 'first', ask, follow: followSections, tell }]}
        onMade={onMade}
      />
      <details>
        <summary>What each section has, and the same from a terminal</summary>
        <Stack>
          <Facts facts={allowedSections.map((one) => [<code>{one}</code>, SECTION_CONTENTS[one]])} />
          <CopyableText
            line={`curl -sOJ "${location.origin}/api/settings/export?format=${format}${section === null ? '' : `&section=${section}`}" \\\n  -H "authorization: Bearer $MANAGEMENT_KEY"`}
          />
          <p>
            A <code>record</code> under <code>receipts</code> is checked without this service: paste it into{' '}
            <a href="/verify">the verifier</a>, or save it as a file for <code>countersign-verify</code>.
          </p>
        </Stack>
      </details>
    </>
  )
}

const ENDINGS: Readonly<Record<Ending, readonly [text: string, tone: Tone]>> = {
  whole: ['It ends by saying that it is whole.', 'good'],
  incomplete: ['It says itself that something that should be in it could not be read. Tell the operator.', 'bad'],
  broken_off: ['It has no end: it was broken off. Ask for it again; it cannot be gone on from.', 'bad'],
}

/** Matches the beginning of a section: in JSON a line with its name, in the table of all sections each row. */
const BEGINS = new RegExp(`^(?:"(${SECTIONS.join('|')})":|(${SECTIONS.join('|')}),)`, 'gm')

function followSections(): (part: Uint8Array) => Section | null {
  const decoder = new TextDecoder()
  let line = ''
  let section: Section | null = null
  return (part) => {
    const text = line + decoder.decode(part, { stream: true })
    const last = [...text.matchAll(BEGINS)].at(-1)
    const name = last?.[1] ?? last?.[2]
    section = SECTIONS.find((one) => one === name) ?? section
    // A part may end inside a name. The beginning of its last line is therefore read again with the next part.
    line = text.slice(text.lastIndexOf('\n') + 1).slice(0, LONGEST_BEGINNING)
    return section
  }
}

const LONGEST_BEGINNING = 32
const END_BYTES = 512

/** How a file ends. `incomplete`: it says that something is missing. `broken_off`: its end is missing. */
type Ending = 'whole' | 'incomplete' | 'broken_off'

/** What the last line of a file says of itself: JSON, the table of all sections, and a table of one. */
const ENDS = {
  json: /"complete":(true|false)\}$/,
  all: /^export,.*,complete,(true|false)$/,
  one: /^(complete|incomplete),\d+/,
}

/** Returns how the file ends. @param section null for all sections in one file */
async function endingOf(file: Blob, format: Format, section: Section | null): Promise<Ending> {
  const last = (await file.slice(-END_BYTES).text()).trimEnd().split('\n').at(-1) ?? ''
  const [, said] = ENDS[format === 'json' ? 'json' : section === null ? 'all' : 'one'].exec(last) ?? []
  if (said === undefined) return 'broken_off'
  return said === 'true' || said === 'complete' ? 'whole' : 'incomplete'
}
